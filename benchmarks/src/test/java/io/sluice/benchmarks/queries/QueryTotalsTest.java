package io.sluice.benchmarks.queries;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmarks.queries.QueryOutcome.Pair;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueryTotalsTest {
  private static final Query QUERY = new Query("q1", "select 1");
  private static final QueryOutcome FAILED =
      new QueryOutcome(QUERY, true, 1, List.of(), false, "9 rows instead of 10");

  private static QueryOutcome timed(int drivers, double sluice, double own) {
    return new QueryOutcome(
        QUERY, true, drivers, List.of(new Pair(took(sluice), took(own))), false, "");
  }

  private static QueryAnswer took(double seconds) {
    return new QueryAnswer((long) (seconds * 1e9), 10, 2048, 20);
  }

  @Test
  void eachQueryWeighsAsMuchAsAnyOther() {
    QueryTotals totals =
        new QueryTotals(true, List.of(timed(0, 4, 1), timed(0, 1, 2), timed(0, 1, 2), FAILED));

    assertThat(totals.text())
        .isEqualTo("AQE on, 3 of 4 queries: geometric mean 1.000, half of them from 0.50 to 2.25.");
  }

  @Test
  void saysWhatEachPairOfDriversCameTo() {
    QueryTotals totals =
        new QueryTotals(false, List.of(timed(0, 4, 1), timed(1, 1, 2), timed(1, 1, 2), FAILED));

    assertThat(totals.text())
        .startsWith("AQE off, 3 of 4 queries: geometric mean 1.000")
        .endsWith(" By drivers: 4.00, 0.50.");
    assertThat(totals.json("4.2.0", 1, 1, 2))
        .isEqualTo(
            "{\"spark\": \"4.2.0\", \"suite\": \"all\", \"query\": \"all\", \"aqe\": false,"
                + " \"queries\": 4, \"timed\": 3, \"warmups\": 1, \"runs\": 1,"
                + " \"queries_each\": 2, \"ratio_wall\": 1.0000, \"drivers\": 2}\n");
  }

  @Test
  void hasNoMeanOfNothing() {
    assertThat(new QueryTotals(true, List.of(FAILED)).text())
        .isEqualTo("AQE on, 0 of 1 queries timed.");
  }
}
