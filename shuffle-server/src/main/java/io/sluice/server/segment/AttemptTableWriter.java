package io.sluice.server.segment;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Counts the blocks of each map attempt in one unit as they are staged, and packs the counts
 * (docs/storage-format.md, "Attempt table"). Reusable; confined to the thread that stages.
 */
final class AttemptTableWriter {
  /** The most bytes of one entry. */
  private static final int ENTRY_MAX = 3 * Varints.LENGTH_MAX + 2 * Varints.LONG_LENGTH_MAX;

  private final AttemptIndex index;
  private int[] blocks = new int[0];
  private int[] lasts = new int[0];
  private long[] sums = new long[0];
  private boolean overflown;

  /**
   * @param max attempts that are counted; a unit with more has an empty table
   */
  AttemptTableWriter(int max) {
    index = new AttemptIndex(max);
  }

  void reset() {
    index.clear();
    overflown = false;
  }

  /**
   * A block was staged.
   *
   * @param last whether its attempt has no further block for its partition
   */
  void block(int mapIndex, long attempt, int sequence, boolean last) {
    int before = index.size();
    int at = index.number(mapIndex, attempt);
    if (at == AttemptIndex.NONE) {
      overflown = true;
      return;
    }
    if (at == before) {
      begin(at);
    }
    blocks[at]++;
    if (last) {
      lasts[at]++;
      sums[at] += sequence + 1L;
    }
  }

  private void begin(int at) {
    if (at >= blocks.length) {
      blocks = Arrays.copyOf(blocks, index.capacity());
      lasts = Arrays.copyOf(lasts, index.capacity());
      sums = Arrays.copyOf(sums, index.capacity());
    }
    blocks[at] = 0;
    lasts[at] = 0;
    sums[at] = 0;
  }

  /** Appends the table, or nothing if it does not fit: then the unit tells of no attempt. */
  void pack(ByteBuffer target) {
    int start = target.position();
    if (overflown || !tryPack(target)) {
      target.position(start);
    }
  }

  private boolean tryPack(ByteBuffer target) {
    int map = 0;
    long attempt = 0;
    for (int at : index.inOrder()) {
      if (target.remaining() < ENTRY_MAX) {
        return false;
      }
      Varints.put(target, index.map(at) - map);
      Varints.putLong(target, zigzag(index.attempt(at) - attempt));
      boolean single = lasts[at] == blocks[at] && sums[at] == blocks[at];
      Varints.put(target, blocks[at] << 1 | (single ? 1 : 0));
      if (!single) {
        Varints.put(target, lasts[at]);
        Varints.putLong(target, sums[at]);
      }
      map = index.map(at);
      attempt = index.attempt(at);
    }
    return true;
  }

  private static long zigzag(long value) {
    return value << 1 ^ value >> 63;
  }
}
