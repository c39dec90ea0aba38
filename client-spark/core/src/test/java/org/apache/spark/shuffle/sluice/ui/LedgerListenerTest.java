package org.apache.spark.shuffle.sluice.ui;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import org.apache.spark.Success$;
import org.apache.spark.executor.ExecutorMetrics;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.JobSucceeded$;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.junit.jupiter.api.Test;

final class LedgerListenerTest {
  /** Spark's queue ends the application for an error that is not an exception. */
  @Test
  void aSparkThatIsNotAsExpectedEndsTheCountingAlone() {
    ShuffleLedger ledger = new ShuffleLedger();
    LedgerListener listener = new LedgerListener(ledger, shuffle -> null);

    assertThatCode(() -> listener.onTaskEnd(taskOf(new OtherMetrics()))).doesNotThrowAnyException();
    listener.onTaskEnd(taskOf(new OtherMetrics()));
    listener.onJobEnd(new SparkListenerJobEnd(1, 2, JobSucceeded$.MODULE$));

    assertThat(ledger.totals().bytesRead).isZero();
  }

  private static SparkListenerTaskEnd taskOf(TaskMetrics metrics) {
    return new SparkListenerTaskEnd(
        1, 0, "ResultTask", Success$.MODULE$, null, new ExecutorMetrics(), metrics);
  }

  /** As if a vendor had taken a method away. */
  private static final class OtherMetrics extends TaskMetrics {
    @Override
    public org.apache.spark.executor.ShuffleWriteMetrics shuffleWriteMetrics() {
      throw new NoSuchMethodError("shuffleWriteMetrics");
    }
  }
}
