package io.sluice.cli.bench;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * What is in a block: bytes that no codec could shrink, cut at a place that follows from the seed,
 * the partition and the map out of a pool of random ones. Made again when the block is read, so
 * nothing has to be remembered; a block of another partition or map begins elsewhere, or with
 * another name, and is noticed. Costs one copy to write and one comparison to check. Thread-safe.
 */
final class Pattern {
  private static final int POOL_BYTES = 8 << 20;
  private static final int NAME_BYTES = 3 * Integer.BYTES;

  private final long seed;
  private final byte[] pool = new byte[POOL_BYTES];

  /**
   * @param seed the same bytes for the same seed
   */
  Pattern(long seed) {
    this.seed = seed;
    new SplittableRandom(seed).nextBytes(pool);
  }

  /**
   * Writes a block from a buffer's position on.
   *
   * @param length at most {@link Load#BLOCK_BYTES_MAX}, a quarter of the pool
   */
  void write(ByteBuffer into, int partition, int map, int length) {
    int from = from(partition, map, length);
    ByteBuffer name = name(partition, map, length);
    int named = name.remaining();
    into.put(name).put(pool, from + named, length - named);
  }

  /**
   * Where a block that was read differs from what was written, or -1.
   *
   * @param read from its position to its limit; not changed
   */
  int difference(ByteBuffer read, int partition, int map, int length) {
    if (read.remaining() != length) {
      return Math.min(read.remaining(), length);
    }
    ByteBuffer name = name(partition, map, length);
    int named = name.remaining();
    int at = read.position();
    int inName = read.slice(at, named).mismatch(name);
    if (inName >= 0) {
      return inName;
    }
    ByteBuffer rest = ByteBuffer.wrap(pool, from(partition, map, length) + named, length - named);
    int inRest = read.slice(at + named, length - named).mismatch(rest);
    return inRest < 0 ? -1 : named + inRest;
  }

  /** A short block has as much of it as there is room for. */
  private static ByteBuffer name(int partition, int map, int length) {
    ByteBuffer name = ByteBuffer.allocate(NAME_BYTES);
    name.putInt(map).putInt(partition).putInt(length).flip();
    return name.limit(Math.min(NAME_BYTES, length));
  }

  private int from(int partition, int map, int length) {
    long mixed = seed ^ ((long) partition << 32 | map);
    // SplittableRandom's own mixing: neighbours begin far from each other.
    return new SplittableRandom(mixed).nextInt(POOL_BYTES - length + 1);
  }
}
