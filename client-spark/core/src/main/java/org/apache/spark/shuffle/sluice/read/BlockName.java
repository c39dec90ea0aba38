package org.apache.spark.shuffle.sluice.read;

import io.sluice.client.BlockReader;
import io.sluice.client.MissingBlocksException.MissingMap;

/** Which block of a shuffle; what is needed to find it again. Immutable. */
final class BlockName {
  private final int partition;
  private final int mapIndex;
  private final long attemptId;
  private final int sequence;

  private BlockName(int partition, int mapIndex, long attemptId, int sequence) {
    this.partition = partition;
    this.mapIndex = mapIndex;
    this.attemptId = attemptId;
    this.sequence = sequence;
  }

  static BlockName of(BlockReader.Block block) {
    return new BlockName(block.partition(), block.mapIndex(), block.attemptId(), block.sequence());
  }

  /** The map output that the block is part of. */
  MissingMap map() {
    return new MissingMap(mapIndex, attemptId, partition);
  }

  @Override
  public String toString() {
    return "partition "
        + partition
        + ", map "
        + mapIndex
        + ", attempt "
        + attemptId
        + ", block "
        + sequence;
  }
}
