package org.apache.spark.shuffle.sluice.write;

import io.sluice.client.MapOutput;
import io.sluice.common.block.BlockHeader;
import java.util.Arrays;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;

/**
 * Tells Spark how far a map attempt has come: while it pushes, and at its end, whatever that was.
 * Each report is of what came since the one before, so that they add up to the attempt's. And hears
 * from Spark whether the attempt is to go on. Used by the task's thread.
 */
final class WriteProgress {
  /**
   * Bytes between two reports, which go through SQL's metrics too. An executor sends what they come
   * to every 10 s; at 1 GB/s a MiB is a millisecond.
   */
  private static final long STEP = 1 << 20;

  private final MapOutput output;
  private final ShuffleWriteMetricsReporter metrics;
  private final TaskContext task;
  private long bytes;
  private long records;
  private long reportedBytes;
  private long reportedRecords;
  private long reportedWaitNanos;

  /**
   * @param output stays the caller's; asked what was pushed and how long that was waited for
   * @param task the attempt
   */
  WriteProgress(MapOutput output, ShuffleWriteMetricsReporter metrics, TaskContext task) {
    this.output = output;
    this.metrics = metrics;
    this.task = task;
  }

  /**
   * A block is about to be made. By default Spark interrupts no task that it kills, so this is how
   * one hears of it that pushes for long without asking for a record: one volatile read.
   *
   * @throws org.apache.spark.TaskKilledException if the task was killed
   */
  void blockBegins() {
    task.killTaskIfInterrupted();
  }

  /** A block was given to the output. */
  void pushed(int storedLength, int recordCount) {
    bytes += BlockHeader.LENGTH + storedLength;
    records += recordCount;
    if (bytes - reportedBytes >= STEP) {
      report();
    }
  }

  /** Reports what was pushed. */
  void report() {
    metrics.incBytesWritten(bytes - reportedBytes);
    reportedBytes = bytes;
    metrics.incRecordsWritten(records - reportedRecords);
    reportedRecords = records;
    long waitNanos = output.waitNanos();
    metrics.incWriteTime(waitNanos - reportedWaitNanos);
    reportedWaitNanos = waitNanos;
  }

  /**
   * Servers have all of it.
   *
   * @param allRecords those of which a serializer wrote no byte, and which no block counts, too
   */
  void finished(long allRecords) {
    records = allRecords;
    settle();
  }

  /** Nothing more is pushed: reports the rest, and the blocks that only end a partition. */
  void settle() {
    bytes = Arrays.stream(output.partitionLengths()).sum();
    report();
  }
}
