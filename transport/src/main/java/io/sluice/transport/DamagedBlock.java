package io.sluice.transport;

import io.sluice.common.id.ShuffleKey;

/**
 * A block that a reader found damaged, as its header names it: which may be where the damage is, so
 * any number can be wrong, and is {@link #UNKNOWN} where not even that can be said. Immutable.
 */
public final class DamagedBlock {
  public static final int UNKNOWN = -1;

  private final ShuffleKey shuffle;
  private final int partition;
  private final int mapIndex;
  private final long attemptId;
  private final int sequence;

  public DamagedBlock(
      ShuffleKey shuffle, int partition, int mapIndex, long attemptId, int sequence) {
    this.shuffle = shuffle;
    this.partition = partition;
    this.mapIndex = mapIndex;
    this.attemptId = attemptId;
    this.sequence = sequence;
  }

  /** One of a partition, whose header cannot be believed. */
  public static DamagedBlock ofPartition(ShuffleKey shuffle, int partition) {
    return new DamagedBlock(shuffle, partition, UNKNOWN, UNKNOWN, UNKNOWN);
  }

  public ShuffleKey shuffle() {
    return shuffle;
  }

  public int partition() {
    return partition;
  }

  public int mapIndex() {
    return mapIndex;
  }

  public long attemptId() {
    return attemptId;
  }

  public int sequence() {
    return sequence;
  }

  @Override
  public String toString() {
    return "shuffle "
        + shuffle
        + ", partition "
        + partition
        + ", map "
        + mapIndex
        + ", attempt "
        + attemptId
        + ", block "
        + sequence;
  }
}
