package org.apache.spark.shuffle.sluice.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.spark.scheduler.JobSucceeded$;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.StageInfo;
import org.junit.jupiter.api.Test;
import scala.collection.immutable.Seq;
import scala.collection.immutable.Seq$;

class EndedApplicationTest {
  private static final String WHY = "because its shuffles are gone: ended by an operator";

  private final List<String> cancelled = new ArrayList<>();
  private final EndedApplication application =
      new EndedApplication((job, reason) -> cancelled.add(job + " " + reason));

  private void start(int job) {
    @SuppressWarnings("unchecked") // An empty list is one of any elements.
    Seq<StageInfo> none = (Seq<StageInfo>) Seq$.MODULE$.empty();
    application.onJobStart(new SparkListenerJobStart(job, 0, none, new Properties()));
  }

  private void end(int job) {
    application.onJobEnd(new SparkListenerJobEnd(job, 0, JobSucceeded$.MODULE$));
  }

  @Test
  void jobsThatRunAndThoseThatBeginAreFailedWithTheReason() {
    start(1);
    start(2);
    start(3);
    end(2);
    assertThat(cancelled).isEmpty();

    application.ended(new SluiceException(ErrorCode.APPLICATION_ENDED, "ended by an operator"));

    assertThat(cancelled).containsExactlyInAnyOrder("1 " + WHY, "3 " + WHY);
    cancelled.clear();
    start(4);
    assertThat(cancelled).containsExactly("4 " + WHY);
  }

  @Test
  void jobsWhoseEndsAreDroppedDoNotStay() {
    for (int job = 0; job <= EndedApplication.RUNNING_MAX; job++) {
      start(job);
    }

    application.ended(new SluiceException(ErrorCode.APPLICATION_ENDED, "ended by an operator"));

    assertThat(cancelled).hasSize(EndedApplication.RUNNING_MAX).doesNotContain("0 " + WHY);
  }
}
