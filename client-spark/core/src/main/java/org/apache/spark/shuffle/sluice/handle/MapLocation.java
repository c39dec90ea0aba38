package org.apache.spark.shuffle.sluice.handle;

import java.math.BigInteger;
import java.util.BitSet;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerId$;
import org.jspecify.annotations.Nullable;
import scala.Option;

/**
 * The place of a map output as Spark is told: a block manager of its own that does not exist.
 *
 * <p>On a fetch failure Spark's scheduler drops every output of the executor that the map status
 * names, and that executor's block manager besides. So no status names a real executor: each
 * attempt of each map of each shuffle has its own made-up one, and what is dropped is that output
 * alone. The id also carries the epochs that the attempt used: the last one tells a reader how new
 * its list of epochs must be, both tell the driver where the blocks are; and whether each member of
 * a replica set has all of them. Where the placement changed while the attempt ran, its executor
 * names the servers that have any: else an attempt that a dead server acknowledged nothing of would
 * count as lost with it.
 */
public final class MapLocation {
  private static final String PREFIX = "sluice";

  /** Follows the last epoch where a majority of a set was enough. */
  private static final String MAJORITY = "m";

  /** Between the name and the servers, in the executor's id alone. */
  private static final String HOLDERS = "-on-";

  /**
   * Of more servers nothing is said, and all that the epochs name count: 1,024 are 256 letters in
   * the status of each map that ran as the placement changed.
   */
  private static final int MOST_SERVERS = 1024;

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

  /**
   * The same location, with word of where the blocks are.
   *
   * @param storedOn positions among the placement's servers, as {@code MapOutput.storedOn} has them
   */
  public static BlockManagerId holding(BlockManagerId location, BitSet storedOn) {
    if (storedOn.length() > MOST_SERVERS) {
      return location;
    }
    String holders = new BigInteger(1, reversed(storedOn.toByteArray())).toString(16);
    return BlockManagerId$.MODULE$.apply(
        name(location) + HOLDERS + holders, location.host(), PORT, Option.empty());
  }

  /**
   * Where blocks of the output are; null if all servers have to be reckoned with that its epochs
   * name.
   *
   * @throws IllegalArgumentException for a location not made by {@link #of}
   */
  public static @Nullable BitSet storedOn(BlockManagerId location) {
    int name = name(location).length();
    String executor = location.executorId();
    return executor.length() == name
        ? null
        : BitSet.valueOf(
            reversed(
                new BigInteger(executor.substring(name + HOLDERS.length()), 16).toByteArray()));
  }

  private static byte[] reversed(byte[] bytes) {
    byte[] reversed = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      reversed[i] = bytes[bytes.length - 1 - i];
    }
    return reversed;
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
    return location.host();
  }
}
