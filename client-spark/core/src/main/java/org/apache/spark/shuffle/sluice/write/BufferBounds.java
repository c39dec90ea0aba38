package org.apache.spark.shuffle.sluice.write;

/**
 * How much of its records a map collects before it pushes them. With a block's worth for each
 * partition blocks are as large as they get; what is beyond that is memory that collectors copy,
 * and a push that begins later. Immutable.
 */
final class BufferBounds {
  /** Below this a map would push more often than it is worth, however few its partitions are. */
  private static final long LEAST_USEFUL_BYTES = 16L << 20;

  /** Of a block: partitions are not all alike, and one a little over a block becomes two halves. */
  private static final double SHARE = 7.0 / 8;

  private final long memory;
  private final long records;

  private BufferBounds(long memory, long records) {
    this.memory = memory;
    this.records = records;
  }

  /**
   * @param memory the most that records and their entries may take
   */
  static BufferBounds of(long memory, int partitions, int blockBytes) {
    long useful = (long) (SHARE * partitions * blockBytes);
    return new BufferBounds(memory, Math.max(LEAST_USEFUL_BYTES, useful));
  }

  /** Bytes of records and of their entries together. */
  long memory() {
    return memory;
  }

  /** Bytes of records alone. */
  long records() {
    return records;
  }
}
