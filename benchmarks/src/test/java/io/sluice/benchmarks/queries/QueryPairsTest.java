package io.sluice.benchmarks.queries;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QueryPairsTest {
  /** Whoever follows the other has what that one's compilers still do beside it. */
  @Test
  void eachSideGoesFirstInHalfOfWhatIsTimedAlsoWithOneRunBehindOneToWarmUp() {
    int first = 0;
    for (int query = 0; query < 22; query++) {
      first += QueryPairs.sluiceGoesFirst(0, query, 1) ? 1 : 0;
    }

    assertThat(first).isEqualTo(11);
    assertThat(QueryPairs.sluiceGoesFirst(0, 0, 0))
        .isNotEqualTo(QueryPairs.sluiceGoesFirst(0, 0, 1));
  }

  @Test
  void coldDriversBeginInTurnsToo() {
    assertThat(QueryPairs.sluiceGoesFirst(0, 0, 0))
        .isNotEqualTo(QueryPairs.sluiceGoesFirst(1, 0, 0));
  }
}
