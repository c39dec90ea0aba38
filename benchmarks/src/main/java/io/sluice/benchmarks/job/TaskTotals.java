package io.sluice.benchmarks.job;

import io.sluice.cli.spark.TaskFigures;
import java.util.concurrent.atomic.LongAdder;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** Adds up what tasks report. Written by Spark's listener thread, read by the job's. */
public final class TaskTotals extends SparkListener {
  private final LongAdder gcMillis = new LongAdder();
  private final LongAdder shuffleBytes = new LongAdder();
  private final LongAdder shuffleRecords = new LongAdder();
  private final LongAdder fetchWaitMillis = new LongAdder();
  private final LongAdder spilledBytes = new LongAdder();
  private final LongAdder memorySpilledBytes = new LongAdder();

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
    memorySpilledBytes.add(metrics.memoryBytesSpilled());
  }

  /** Collection time of the JVMs that ran tasks. */
  public long gcMillis() {
    return gcMillis.sum();
  }

  /** What all tasks that have ended reported. */
  public TaskFigures figures() {
    return new TaskFigures(
        shuffleBytes.sum(),
        shuffleRecords.sum(),
        fetchWaitMillis.sum(),
        spilledBytes.sum(),
        memorySpilledBytes.sum());
  }
}
