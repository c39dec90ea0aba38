package io.sluice.benchmarks.paired;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.compare.Measurement;
import io.sluice.cli.compare.Pair;
import io.sluice.cli.spark.Fingerprint;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.JobResult;
import io.sluice.cli.spark.TaskFigures;
import java.util.List;
import org.junit.jupiter.api.Test;

class CaseReportTest {
  private static final JobRequest REQUEST = new JobRequest("sort", 10, 4, 2, false, "", false);

  @Test
  void ratiosAreTakenWithinPairs() {
    CaseReport report = report(pair(2, 1, 7), pair(30, 20, 7), pair(1, 1, 7));

    assertThat(report.wallRatio()).isEqualTo(new Distribution(1, 1.25, 1.5, 1.75, 2));
    assertThat(report.json().toString())
        .contains("\"ratio_wall\": 1.5000", "\"sluice_s\": 2.0000", "\"equal\": true");
  }

  @Test
  void saysHowLargeBlocksWere() {
    CaseReport report = report(pair(2, 1, 7));

    assertThat(report.text()).contains("mean block").containsPattern("1\\.0 KiB");
    assertThat(report.json().toString()).contains("\"pushed_blocks\": 4", "\"pushed_bytes\": 4096");
  }

  @Test
  void saysWhatTasksGaveBackOfTheirMemory() {
    CaseReport report = report(pair(2, 1, 7));

    assertThat(report.text()).contains("given back").contains("8.0 KiB");
    assertThat(report.json().toString())
        .contains("\"sluice_memory_spill_bytes\": 8192", "\"baseline_memory_spill_bytes\": 8192");
  }

  @Test
  void oneDifferingPairMakesTheCaseUnequal() {
    CaseReport report = report(pair(1, 1, 7), pair(1, 1, 8));

    assertThat(report.equal()).isFalse();
    assertThat(report.text()).contains("DIFFER");
    assertThat(report.json().toString()).contains("\"equal\": false");
  }

  private static CaseReport report(Pair... pairs) {
    return new CaseReport(REQUEST, "sluice", "sort", 0.5, List.of(pairs));
  }

  /** The baseline's fingerprint always sums up to 7. */
  private static Pair pair(double candidateSeconds, double baselineSeconds, long candidateSum) {
    return new Pair(measured(candidateSeconds, candidateSum), measured(baselineSeconds, 7));
  }

  private static Measurement measured(double seconds, long sum) {
    JobResult result =
        new JobResult(
            new Fingerprint(10, sum, 0, true),
            (long) (seconds * 1e9),
            0,
            new TaskFigures(0, 0, 0, 0, 8192));
    return new Measurement(result, seconds, 0, 4, 4096, 0, 0, 0, 0);
  }
}
