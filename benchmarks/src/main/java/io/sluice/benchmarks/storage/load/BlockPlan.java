package io.sluice.benchmarks.storage.load;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.TransportLimits;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Which blocks there are: map tasks take turns among the shuffles, and each pushes the same number
 * of blocks to every partition, in partition order as a sorting writer does. Immutable.
 *
 * @param round tells the shuffles of one phase from those of another
 * @param blockBytes mean stored length; lengths spread evenly from half to one and a half of it
 */
public record BlockPlan(
    int round, int shuffles, int partitions, int maps, int blocksPerPartition, int blockBytes) {
  /** A writer cuts its output at this, whatever the partition holds. */
  private static final int BLOCK_BYTES_MAX =
      (TransportLimits.RECEIVE_BUFFER_BYTES - BlockHeader.LENGTH) * 2 / 3;

  private static final int BLOCK_BYTES_MIN = 64;
  private static final int MAPS_PER_SHUFFLE_MIN = 4;

  /**
   * Blocks that sum up to about so many bytes.
   *
   * @param mapBytes what a map task pushes; less if that leaves a shuffle fewer than four maps
   */
  public static BlockPlan of(int round, int shuffles, int partitions, long bytes, long mapBytes) {
    long map = Math.min(mapBytes, bytes / shuffles / MAPS_PER_SHUFFLE_MIN);
    long share = Math.max(map / partitions - BlockHeader.LENGTH, BLOCK_BYTES_MIN);
    int blocks = (int) ((share + BLOCK_BYTES_MAX - 1) / BLOCK_BYTES_MAX);
    int blockBytes = (int) (share / blocks);
    long actual = (long) partitions * blocks * (blockBytes + BlockHeader.LENGTH);
    int maps = (int) Math.max(shuffles, Math.round((double) bytes / actual));
    return new BlockPlan(round, shuffles, partitions, maps, blocks, blockBytes);
  }

  ShuffleKey shuffle(int index) {
    return new ShuffleKey(ApplicationId.of(0x51CE, round), index, 0);
  }

  /** All shuffles. */
  public List<ShuffleKey> keys() {
    return IntStream.range(0, shuffles).mapToObj(this::shuffle).toList();
  }

  int shuffleOf(int map) {
    return map % shuffles;
  }

  /** Stored length of a block. */
  int length(int map, int partition, int sequence) {
    return blockBytes / 2
        + (int) Long.remainderUnsigned(hash(map, partition, sequence), blockBytes + 1);
  }

  /** A number that differs from block to block. */
  long hash(int map, int partition, int sequence) {
    return Digest.mix(((long) map << 40) ^ ((long) partition << 12) ^ sequence);
  }

  /** Whether a map task pushes no more to a partition after this block. */
  boolean isLast(int sequence) {
    return sequence == blocksPerPartition - 1;
  }

  /** The largest block's header and payload. */
  int longest() {
    return BlockHeader.LENGTH + blockBytes / 2 + blockBytes;
  }
}
