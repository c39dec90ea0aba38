package io.sluice.cli.bench;

import io.sluice.cli.CommandFailedException;
import io.sluice.cli.ExitCode;
import io.sluice.common.config.DataSize;

/**
 * What is written: blocks of one size, the last one shorter, dealt to partitions in turn. A map has
 * as many of them in a row, at most one for each partition.
 *
 * @param bytes of all blocks
 * @param blockBytes of each but the last
 * @param partitions of the shuffle
 * @param maps that write
 */
record Load(long bytes, int blockBytes, int partitions, int maps) {
  static final int PARTITIONS_MAX = 100_000;

  static final int BLOCK_BYTES_MIN = 1 << 10;

  /** What clients write unless they are configured otherwise, and so what all servers take. */
  static final int BLOCK_BYTES_MAX = 2 << 20;

  /**
   * Readers keep 12 bytes for each block of their partitions, and more while they collect them:
   * arrays that double, and a copy. That is 150 MB if all are in one, of the 256 MB of heap that a
   * command has by bin/sluice. It is 1 TiB in blocks of 256 KiB.
   */
  static final long BLOCKS_MAX = 1L << 22;

  /**
   * A load of at least as many maps as there are clients, if there are blocks for them.
   *
   * @throws CommandFailedException USAGE naming what is out of bounds
   */
  static Load of(DataSize size, DataSize block, int partitions, int clients) {
    require(partitions >= 1 && partitions <= PARTITIONS_MAX, "--partitions", 1, PARTITIONS_MAX);
    require(
        block.toBytes() >= BLOCK_BYTES_MIN && block.toBytes() <= BLOCK_BYTES_MAX,
        "--block-size",
        DataSize.ofBytes(BLOCK_BYTES_MIN),
        DataSize.ofBytes(BLOCK_BYTES_MAX));
    int blockBytes = block.toIntBytes();
    long most = BLOCKS_MAX * blockBytes;
    require(
        size.toBytes() >= 1 && size.toBytes() <= most,
        "--size",
        "1b",
        DataSize.ofBytes(most) + " in blocks of " + block);
    long blocks = ceil(size.toBytes(), blockBytes);
    long wanted = Math.min(blocks, Math.max(clients, ceil(blocks, partitions)));
    // Rounding up what each map has may leave fewer of them than were wanted.
    long maps = ceil(blocks, ceil(blocks, wanted));
    return new Load(size.toBytes(), blockBytes, partitions, Math.toIntExact(maps));
  }

  private static void require(boolean holds, String option, Object least, Object most) {
    if (!holds) {
      throw new CommandFailedException(
          ExitCode.USAGE, option + " has to be " + least + " to " + most);
    }
  }

  private static long ceil(long dividend, long divisor) {
    return (dividend + divisor - 1) / divisor;
  }

  long blocks() {
    return ceil(bytes, blockBytes);
  }

  private long blocksOfMap() {
    return ceil(blocks(), maps);
  }

  /** Number of the first block of a map; of the map after the last, how many blocks there are. */
  long firstBlock(int map) {
    return Math.min(blocks(), map * blocksOfMap());
  }

  int partition(long block) {
    return (int) (block % partitions);
  }

  /** Bytes of a block. */
  int length(long block) {
    return (int) Math.min(blockBytes, bytes - block * blockBytes);
  }

  /** Bytes of all blocks of a partition. */
  long bytesOf(int partition) {
    long blocks = blocks();
    long own = partition < blocks ? (blocks - partition - 1) / partitions + 1 : 0;
    long missing = partition(blocks - 1) == partition ? blockBytes - length(blocks - 1) : 0;
    return own * blockBytes - missing;
  }

  /** Number of the block that a map has for a partition, or -1 if it has none. */
  long block(int map, int partition) {
    long first = firstBlock(map);
    long block = first + Math.floorMod(partition - first, (long) partitions);
    return block < firstBlock(map + 1) ? block : -1;
  }
}
