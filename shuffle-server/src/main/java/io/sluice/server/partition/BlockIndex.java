package io.sluice.server.partition;

import java.util.Arrays;

/**
 * The blocks of a run in the order they were appended: one long each, no objects. Positions are
 * prefix sums of lengths, kept by whoever walks.
 *
 * <pre>
 * bits 63..32 mapIndex   bit 31 lies in chunks of its own   bits 30..0 length in bytes
 * </pre>
 */
final class BlockIndex {
  private static final long OWN_CHUNKS = 1L << 31;
  private static final int INITIAL = 4;

  private long[] entries = new long[INITIAL];
  private int size;

  void add(int mapIndex, int length, boolean ownChunks) {
    if (size == entries.length) {
      entries = Arrays.copyOf(entries, size * 2);
    }
    entries[size++] = (long) mapIndex << 32 | (ownChunks ? OWN_CHUNKS : 0) | length;
  }

  int size() {
    return size;
  }

  int mapIndex(int block) {
    return (int) (entries[block] >>> 32);
  }

  int length(int block) {
    return (int) entries[block] & Integer.MAX_VALUE;
  }

  /** Whether the block arrived in parts and lies in chunks of its own. */
  boolean ownChunks(int block) {
    return (entries[block] & OWN_CHUNKS) != 0;
  }
}
