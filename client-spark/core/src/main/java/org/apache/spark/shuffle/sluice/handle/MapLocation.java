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
 * its list of epochs must be, both tell the driver where the blocks are; and whether each member of
 * a replica set has all of them.
 */
public final class MapLocation {
  private static final String PREFIX = "sluice";

  /** Follows the last epoch where a majority of a set was enough. */
  private static final String MAJORITY = "m";

  // Spark asserts that ports are positive; nothing ever connects to this one.
  private static final int PORT = 1;

  private MapLocation() {}

  /** Of an output all blocks of which are with every member of their replica sets. */
  public static BlockManagerId of(
      int shuffleId, int mapIndex, long attemptId, int firstEpoch, int lastEpoch) {
    return of(shuffleId, mapIndex, attemptId, firstEpoch, lastEpoch, false);
  }

  /**
   * @param attemptId Spark's task attempt id
   * @param firstEpoch newest placement epoch when the attempt began, from 0
   * @param lastEpoch newest one that it used
   * @param majorityEnough whether a majority of a set was enough for an acknowledgement
   */
  public static BlockManagerId of(
      int shuffleId,
      int mapIndex,
      long attemptId,
      int firstEpoch,
      int lastEpoch,
      boolean majorityEnough) {
    // Valid as a host name too, since it reaches rack resolution as one.
    String name =
        String.join(
            "-",
            PREFIX,
            Integer.toString(shuffleId),
            Integer.toString(mapIndex),
            Long.toString(attemptId),
            Integer.toString(firstEpoch),
            lastEpoch + (majorityEnough ? MAJORITY : ""));
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
    int end = name.length() - (name.endsWith(MAJORITY) ? MAJORITY.length() : 0);
    return Integer.parseInt(name.substring(name.lastIndexOf('-') + 1, end));
  }

  /**
   * Whether not every member of a replica set need have the blocks.
   *
   * @throws IllegalArgumentException for a location not made by {@link #of}
   */
  public static boolean majorityEnough(BlockManagerId location) {
    return name(location).endsWith(MAJORITY);
  }

  private static String name(BlockManagerId location) {
    if (!isOurs(location)) {
      throw new IllegalArgumentException("not a location of a Sluice map output: " + location);
    }
    return location.executorId();
  }
}
