package io.sluice.benchmarks.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.scheduler.JobSucceeded$;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.StageInfo;
import org.junit.jupiter.api.Test;
import scala.collection.JavaConverters;

class RunningJobsTest {
  private final RunningJobs jobs = new RunningJobs();

  private void starts(int job) {
    jobs.onJobStart(
        new SparkListenerJobStart(
            job, 0, JavaConverters.<StageInfo>asScalaBuffer(List.of()).toSeq(), new Properties()));
  }

  private void ends(int job) {
    jobs.onJobEnd(new SparkListenerJobEnd(job, 0, JobSucceeded$.MODULE$));
  }

  @Test
  void waitsForTheLastOfThem() throws Exception {
    starts(1);
    starts(2);
    ends(1);
    CountDownLatch waits = new CountDownLatch(1);
    FutureTask<Void> waiting =
        new FutureTask<>(
            () -> {
              waits.countDown();
              jobs.awaitNone(30);
              return null;
            });
    new Thread(waiting, "waiting").start();
    assertThat(waits.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(waiting.isDone()).isFalse();
    ends(2);

    waiting.get(30, TimeUnit.SECONDS);
  }

  @Test
  void hasNothingToWaitForBeforeTheFirst() throws Exception {
    jobs.awaitNone(30);
  }

  @Test
  void saysHowManyDoNotEnd() {
    starts(1);

    assertThatThrownBy(() -> jobs.awaitNone(0))
        .isInstanceOf(TimeoutException.class)
        .hasMessage("1 jobs still run behind 0 s");
  }
}
