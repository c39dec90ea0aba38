package io.sluice.transport;

import java.nio.ByteBuffer;

/**
 * The form of an answer to INVENTORY: entries of 16 bytes, ordered by map and then by attempt, each
 * whole within one piece of data. An entry says that the server has every block that an attempt of
 * a map has sent to so many partitions.
 *
 * <p>One answer has at most {@link #MAX_ENTRIES}: who got as many asks again, from the last map on,
 * whose entries may not have been all.
 */
public final class InventoryEntries {
  /** i32 map, i64 attempt, i32 partitions. */
  public static final int BYTES = 16;

  /** A mebibyte: 100,000 maps take two answers. */
  public static final int MAX_ENTRIES = 1 << 16;

  /** Of one answer, in bytes. */
  public static final int MAX_BYTES = MAX_ENTRIES * BYTES;

  /** Of one piece. */
  public static final int MAX_PER_PIECE = TransportLimits.MAX_DATA_BYTES / BYTES;

  private InventoryEntries() {}

  public static void put(ByteBuffer target, int map, long attempt, int partitions) {
    target.putInt(map).putLong(attempt).putInt(partitions);
  }

  /**
   * @param offset of the entry's first byte
   */
  public static int map(ByteBuffer bytes, int offset) {
    return bytes.getInt(offset);
  }

  public static long attempt(ByteBuffer bytes, int offset) {
    return bytes.getLong(offset + 4);
  }

  /** In how many partitions the attempt is whole; it has nothing in others here. */
  public static int partitions(ByteBuffer bytes, int offset) {
    return bytes.getInt(offset + 12);
  }
}
