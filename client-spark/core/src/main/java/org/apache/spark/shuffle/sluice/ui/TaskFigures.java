package org.apache.spark.shuffle.sluice.ui;

import org.jspecify.annotations.Nullable;

/** What one task attempt that ended says of shuffles. Immutable. */
final class TaskFigures {
  /** How it ended. */
  enum End {
    DONE,
    FAILED,
    /** By Spark: another attempt was quicker, or its stage is over. */
    KILLED
  }

  final End end;
  final int partition;
  final long bytesWritten;
  final long recordsWritten;
  final long bytesRead;
  final long recordsRead;

  /** The shuffle that it could not fetch of; null if that is not why it failed. */
  final @Nullable Integer notFetched;

  /**
   * @param partition of the stage: a map's index
   */
  TaskFigures(End end, int partition, long[] written, long[] read, @Nullable Integer notFetched) {
    this.end = end;
    this.partition = partition;
    this.bytesWritten = written[0];
    this.recordsWritten = written[1];
    this.bytesRead = read[0];
    this.recordsRead = read[1];
    this.notFetched = notFetched;
  }
}
