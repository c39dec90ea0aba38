package io.sluice.benchmarks.queries;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QueryPairsTest {
  /** Whoever follows the other has what that one's compilers still do beside it. */
  @Test
  void eachSideGoesFirstInHalfOfWhatIsTimedAlsoWithOneRunBehindOneToWarmUp() {
    int first = 0;
    for (int query = 0; query < 22; query++) {
      first += QueryPairs.sluiceGoesFirst(query, 1) ? 1 : 0;
    }

    assertThat(first).isEqualTo(11);
    assertThat(QueryPairs.sluiceGoesFirst(0, 0)).isNotEqualTo(QueryPairs.sluiceGoesFirst(0, 1));
  }
}
