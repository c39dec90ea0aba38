package org.apache.spark.shuffle.sluice.write;

import io.sluice.client.MapOutput;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.sluice.handle.MapLocation;
import org.apache.spark.shuffle.sluice.line.RowChecksums;
import org.apache.spark.shuffle.sluice.line.SparkLine;
import org.apache.spark.storage.BlockManagerId;

/** Which attempt of which map of which shuffle a task is. Immutable. */
public final class MapAttempt {
  private final SparkLine line;
  private final int shuffleId;
  private final int mapIndex;
  private final long attemptId;

  /**
   * @param attemptId Spark's task attempt id
   */
  public MapAttempt(SparkLine line, int shuffleId, int mapIndex, long attemptId) {
    this.line = line;
    this.shuffleId = shuffleId;
    this.mapIndex = mapIndex;
    this.attemptId = attemptId;
  }

  /** What Spark is told of a finished output. */
  MapStatus status(long[] partitionLengths, MapOutput output, RowChecksums checksums) {
    BlockManagerId location =
        MapLocation.of(
            shuffleId,
            mapIndex,
            attemptId,
            output.firstEpoch(),
            output.lastEpoch(),
            output.majorityEnough());
    if (output.firstEpoch() < output.lastEpoch()) {
      location = MapLocation.holding(location, output.storedOn());
    }
    return line.mapStatus(location, partitionLengths, attemptId, checksums.value());
  }
}
