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
 * alone. The id also carries the epochs that the attempt used: the last one tells a reader how new
 * its list of epochs must be, both tell the driver where the blocks are.
 */
public final class MapLocation {
  private static final String PREFIX = "sluice";

  // Spark asserts that ports are positive; nothing ever connects to this one.
  private static final int PORT = 1;

  private MapLocation() {}

  /**
   * @param attemptId Spark's task attempt id
   * @param firstEpoch newest placement epoch when the attempt began, from 0
   * @param lastEpoch newest one that it used
   */
  public static BlockManagerId of(
      int shuffleId, int mapIndex, long attemptId, int firstEpoch, int lastEpoch) {
    // Valid as a host name too, since it reaches rack resolution as one.
    String name =
        String.join(
            "-",
            PREFIX,
            Integer.toString(shuffleId),
            Integer.toString(mapIndex),
            Long.toString(attemptId),
            Integer.toString(firstEpoch),
            Integer.toString(lastEpoch));
    return BlockManagerId$.MODULE$.apply(name, name, PORT, Option.empty());
  }

  /** Whether a location was made by {@link #of}. */
  public static boolean isOurs(BlockManagerId location) {
    return location.port() == PORT && location.executorId().startsWith(PREFIX + "-");
  }

  /**
   * The first epoch in a location made by {@link #of}.
   *
   * @throws IllegalArgumentException for any other location
   */
  public static int firstEpoch(BlockManagerId location) {
    String name = name(location);
    int end = name.lastIndexOf('-');
    return Integer.parseInt(name.substring(name.lastIndexOf('-', end - 1) + 1, end));
  }

  /**
   * The last epoch in a location made by {@link #of}.
   *
   * @throws IllegalArgumentException for any other location
   */
  public static int lastEpoch(BlockManagerId location) {
    String name = name(location);
    return Integer.parseInt(name.substring(name.lastIndexOf('-') + 1));
  }

  private static String name(BlockManagerId location) {
    if (!isOurs(location)) {
      throw new IllegalArgumentException("not a location of a Sluice map output: " + location);
    }
    return location.executorId();
  }
}
