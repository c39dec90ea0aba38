package org.apache.spark.shuffle.sluice.handle;

import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerId$;
import scala.Option;

/**
 * The place of a map output as Spark is told: a block manager of its own that does not exist.
 *
 * <p>On a fetch failure Spark's scheduler drops every output of the executor that the map status
 * names, and that executor's block manager besides. So no status names a real executor: each
 * attempt of each map of each shuffle has its own made-up one, and what is dropped is that output
 * alone. The id also carries the highest epoch that the attempt pushed to, which tells a reader how
 * new its list of epochs must be.
 */
public final class MapLocation {
  private static final String PREFIX = "sluice";

  // Spark asserts that ports are positive; nothing ever connects to this one.
  private static final int PORT = 1;

  private MapLocation() {}

  /**
   * @param attemptId Spark's task attempt id
   * @param epoch highest placement epoch that the attempt used, from 0
   */
  public static BlockManagerId of(int shuffleId, int mapIndex, long attemptId, int epoch) {
    // Valid as a host name too, since it reaches rack resolution as one.
    String name = PREFIX + "-" + shuffleId + "-" + mapIndex + "-" + attemptId + "-" + epoch;
    return BlockManagerId$.MODULE$.apply(name, name, PORT, Option.empty());
  }

  /** Whether a location was made by {@link #of}. */
  public static boolean isOurs(BlockManagerId location) {
    return location.port() == PORT && location.executorId().startsWith(PREFIX + "-");
  }

  /**
   * The epoch in a location made by {@link #of}.
   *
   * @throws IllegalArgumentException for any other location
   */
  public static int epoch(BlockManagerId location) {
    if (!isOurs(location)) {
      throw new IllegalArgumentException("not a location of a Sluice map output: " + location);
    }
    String name = location.executorId();
    return Integer.parseInt(name.substring(name.lastIndexOf('-') + 1));
  }
}
