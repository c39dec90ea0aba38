package io.sluice.mapreduce.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.JobID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobShuffleTest {
  private static final String COLLECTOR = "mapreduce.job.map.output.collector.class";
  private static final String CONSUMER = "mapreduce.job.reduce.shuffle.consumer.plugin.class";

  @ParameterizedTest
  @CsvSource({
    "io.sluice.mapreduce.SluiceMapOutputCollector, '', " + CONSUMER,
    "'', io.sluice.mapreduce.SluiceShuffle, " + COLLECTOR,
    "'io.sluice.mapreduce.SluiceMapOutputCollector,org.apache.hadoop.mapred.MapTask$MapOutputBuffer',"
        + "io.sluice.mapreduce.SluiceShuffle, "
        + COLLECTOR
  })
  void onePlugInAloneIsRefusedBeforeAnythingIsOpened(
      String collector, String consumer, String wrong) {
    JobConf job = new JobConf(false);
    job.set("mapreduce.sluice.coordinator.quorum", "nowhere.invalid:7400");
    job.set(COLLECTOR, collector);
    job.set(CONSUMER, consumer);

    assertThatThrownBy(() -> JobShuffle.open(job, new JobID("test", 1)))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
        .hasMessageContaining("1 problem\n  - " + wrong + "=");
  }

  @Test
  void aSortBufferThatCannotBeIsToldWithAllTheRestBeforeAnythingIsOpened() {
    JobConf job = new JobConf(false);
    job.set(COLLECTOR, "io.sluice.mapreduce.SluiceMapOutputCollector");
    job.set("mapreduce.task.io.sort.mb", "2048");

    assertThatThrownBy(() -> JobShuffle.open(job, new JobID("test", 1)))
        .hasMessageContaining("3 problems")
        .hasMessageContaining("mapreduce.sluice.coordinator.quorum is required")
        .hasMessageContaining(CONSUMER + "=")
        .hasMessageContaining("mapreduce.task.io.sort.mb=2048 is not 1 to 2047");
  }
}
