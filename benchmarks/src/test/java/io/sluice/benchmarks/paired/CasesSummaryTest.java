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

class CasesSummaryTest {
  @Test
  void saysEachCaseTheMeansAndTheWorst() {
    CasesSummary summary = new CasesSummary(List.of(report("sort", 0.5), report("agg", 2)));

    assertThat(summary.text())
        .contains(
            "sort, 10 rows, 2 maps, 4 partitions, incompressible",
            "0.50  0.50  0.25",
            "2.00  2.00  1.00",
            "wall 1.00 (95 % at most 1.00)",
            "without servers 0.50",
            "worst case: wall 2.00");
    assertThat(summary.json().toString())
        .contains("\"cases\": 2", "\"ratio_wall_worst\": 2.0000", "\"equal\": true");
  }

  private static CaseReport report(String workload, double ratio) {
    JobRequest request = new JobRequest(workload, 10, 4, 2, false, "", false);
    Pair pair = new Pair(measured(ratio, ratio / 2, ratio / 2), measured(1, 1, 0));
    return new CaseReport(request, "sluice", "sort", 0.5, List.of(pair));
  }

  private static Measurement measured(double seconds, double cpu, double serverCpu) {
    JobResult result =
        new JobResult(new Fingerprint(10, 7, 0, true), (long) (seconds * 1e9), 0, TaskFigures.NONE);
    return new Measurement(result, cpu, serverCpu, 0, 0, 0, 0, 0, 0);
  }
}
