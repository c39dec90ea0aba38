package io.sluice.benchmarks.job;

import java.util.concurrent.atomic.LongAdder;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** Adds up what tasks report. Written by Spark's listener thread, read by the job's. */
final class TaskTotals extends SparkListener {
  final LongAdder gcMillis = new LongAdder();
  final LongAdder shuffleBytes = new LongAdder();
  final LongAdder shuffleRecords = new LongAdder();
  final LongAdder fetchWaitMillis = new LongAdder();
  final LongAdder spilledBytes = new LongAdder();

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    TaskMetrics metrics = end.taskMetrics();
    if (metrics == null) {
      return; // The task never ran.
    }
    gcMillis.add(metrics.jvmGCTime());
    shuffleBytes.add(metrics.shuffleWriteMetrics().bytesWritten());
    shuffleRecords.add(metrics.shuffleWriteMetrics().recordsWritten());
    fetchWaitMillis.add(metrics.shuffleReadMetrics().fetchWaitTime());
    spilledBytes.add(metrics.diskBytesSpilled());
  }
}
