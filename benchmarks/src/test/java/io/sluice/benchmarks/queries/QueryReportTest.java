package io.sluice.benchmarks.queries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.benchmarks.queries.QueryOutcome.Pair;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueryReportTest {
  private static final Query QUERY = new Query("q1", "select 1");

  private static QueryAnswer took(double seconds) {
    return new QueryAnswer((long) (seconds * 1e9), 10, 2048, 20);
  }

  private static QueryOutcome timed(double sluice, double own) {
    return new QueryOutcome(QUERY, true, 0, List.of(new Pair(took(sluice), took(own))), false, "");
  }

  private static QueryReport report(QueryOutcome... outcomes) {
    return new QueryReport(QuerySuite.tpch, 0.01, true, List.of(outcomes));
  }

  @Test
  void weighsQueriesAlikeHoweverLongTheyTake() {
    QueryReport report = report(timed(2, 1), timed(50, 100));

    assertThat(report.geometricMean()).isCloseTo(1, within(1e-9));
    assertThat(report.text()).contains("all 2").contains("52.00").contains("101.00");
    assertThat(report.text()).contains("mean of 2. 0 gave no rows");
    assertThat(report.equal()).isTrue();
  }

  @Test
  void countsResultsThatShowLittle() {
    QueryAnswer nothing = new QueryAnswer(1, 0, 0, 0);
    QueryOutcome empty =
        new QueryOutcome(QUERY, true, 0, List.of(new Pair(nothing, nothing)), false, "");

    assertThat(report(timed(1, 1), empty).text()).contains("mean of 2. 1 gave no rows");
  }

  @Test
  void namesWhatDiffersAndLeavesItOutOfTheMean() {
    QueryOutcome differing =
        new QueryOutcome(QUERY, true, 0, List.of(), false, "9 rows instead of 10");

    QueryReport report = report(timed(3, 1), differing);

    assertThat(report.equal()).isFalse();
    assertThat(report.geometricMean()).isCloseTo(3, within(1e-9));
    assertThat(report.text()).contains("q1: 9 rows instead of 10").contains("DIFFER");
  }

  @Test
  void tellsMachinesWhatItTellsPeople() {
    QueryOutcome query = timed(1, 2);

    assertThat(query.json("4.2.0", QuerySuite.tpch, 0.01).toString())
        .isEqualTo(
            "{\"spark\": \"4.2.0\", \"suite\": \"tpch\", \"scale\": 0.0100, \"query\": \"q1\","
                + " \"aqe\": true, \"equal\": true, \"tied\": false, \"drivers\": 0, \"pairs\": 1,"
                + " \"sluice_s\": 1.0000, \"own_s\": 2.0000, \"ratio_wall\": 0.5000, \"rows\": 10,"
                + " \"shuffle_bytes\": 2048}");
    assertThat(report(query).json("4.2.0"))
        .isEqualTo(
            "{\"spark\": \"4.2.0\", \"suite\": \"tpch\", \"scale\": 0.0100, \"query\": \"all\","
                + " \"aqe\": true, \"equal\": true, \"queries\": 1, \"sluice_s\": 1.0000,"
                + " \"own_s\": 2.0000, \"ratio_wall\": 0.5000}\n");
  }

  @Test
  void aRequestSurvivesItsLine() {
    QueryRequest request =
        QueryRequest.query(Path.of("/a folder/q1.sql"), Path.of("/b=c/q1.rows"), true);

    assertThat(QueryRequest.parse(request.format())).isEqualTo(request);
    assertThat(QueryAnswer.parse(took(1.5).format())).isEqualTo(took(1.5));
  }
}
