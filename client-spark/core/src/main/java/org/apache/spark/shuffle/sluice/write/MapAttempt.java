package org.apache.spark.shuffle.sluice.write;

import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.sluice.handle.MapLocation;
import org.apache.spark.shuffle.sluice.line.SparkLine;

/** Which attempt of which map of which shuffle a task is. Immutable. */
public final class MapAttempt {
  private final SparkLine line;
  private final int shuffleId;
  private final int mapIndex;
  private final long attemptId;
  private final int epoch;

  /**
   * @param attemptId Spark's task attempt id
   * @param epoch the highest placement epoch that it pushes to
   */
  public MapAttempt(SparkLine line, int shuffleId, int mapIndex, long attemptId, int epoch) {
    this.line = line;
    this.shuffleId = shuffleId;
    this.mapIndex = mapIndex;
    this.attemptId = attemptId;
    this.epoch = epoch;
  }

  MapStatus status(long[] partitionLengths) {
    return line.mapStatus(
        MapLocation.of(shuffleId, mapIndex, attemptId, epoch), partitionLengths, attemptId);
  }
}
