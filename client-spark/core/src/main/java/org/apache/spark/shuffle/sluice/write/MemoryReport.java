package org.apache.spark.shuffle.sluice.write;

import org.apache.spark.executor.TaskMetrics;

/**
 * Tells Spark what a map attempt held in memory and what of it was spilled: as often as there is
 * more to tell, each byte once. Used by the task's thread.
 */
final class MemoryReport {
  private final TaskMetrics metrics;
  private long reportedPeak;
  private long reportedSpill;

  MemoryReport(TaskMetrics metrics) {
    this.metrics = metrics;
  }

  /**
   * What the attempt has come to by now, in bytes; none of it ever becomes less.
   *
   * @param peakBytes most memory at once
   * @param spilledBytes of memory that was given back because it was short, none of it to files
   */
  void update(long peakBytes, long spilledBytes) {
    metrics.incPeakExecutionMemory(peakBytes - reportedPeak);
    reportedPeak = peakBytes;
    metrics.incMemoryBytesSpilled(spilledBytes - reportedSpill);
    reportedSpill = spilledBytes;
  }
}
