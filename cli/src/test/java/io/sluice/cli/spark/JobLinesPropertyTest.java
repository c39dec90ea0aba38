package io.sluice.cli.spark;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class JobLinesPropertyTest {
  @Property
  void requestSurvivesTheLine(
      @ForAll String workload,
      @ForAll long rows,
      @ForAll int partitions,
      @ForAll boolean compressible,
      @ForAll String text) {
    JobRequest request =
        new JobRequest(workload, rows, partitions, 7, compressible, text, !compressible);

    String line = request.format();

    assertThat(line).doesNotContain("\n", "\r");
    assertThat(JobRequest.parse(line)).isEqualTo(request);
  }

  @Property
  void resultSurvivesTheLine(
      @ForAll long rows, @ForAll long sum, @ForAll long xor, @ForAll boolean ordered) {
    JobResult result =
        new JobResult(
            new Fingerprint(rows, sum, xor, ordered), 1, 2, new TaskFigures(3, 4, 5, 6, 7));

    assertThat(JobResult.parse(result.format())).isEqualTo(result);
  }
}
