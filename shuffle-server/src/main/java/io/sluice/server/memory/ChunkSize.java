package io.sluice.server.memory;

/**
 * Sizes of chunks, each a quarter of the one before: level 0 is a whole slab of 1 MiB, level 4 is 4
 * KiB.
 */
final class ChunkSize {
  static final int LEVELS = 5;
  static final int MAX = 1 << 20;
  static final int MIN = MAX >>> (2 * (LEVELS - 1));

  private ChunkSize() {}

  static int ofLevel(int level) {
    return MAX >>> (2 * level);
  }

  /**
   * The level of the largest chunk of at most so many bytes, which must be at least {@link #MIN}.
   */
  static int levelWithin(int bytes) {
    for (int level = 0; level < LEVELS; level++) {
      if (ofLevel(level) <= bytes) {
        return level;
      }
    }
    throw new IllegalArgumentException("no chunk is as small as " + bytes + " bytes");
  }
}
