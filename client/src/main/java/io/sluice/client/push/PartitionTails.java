package io.sluice.client.push;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;

/**
 * How far a map output has come in each partition: the next sequence number, whether the last block
 * left a record open, whether the end was marked. One int each.
 */
final class PartitionTails {
  private static final int ENDED = 1;
  private static final int OPEN_RECORD = 2;
  private static final int SEQUENCE_SHIFT = 2;

  private final int[] tails;

  PartitionTails(int partitions) {
    this.tails = new int[partitions];
  }

  int partitions() {
    return tails.length;
  }

  int sequence(int partition) {
    return tails[partition] >>> SEQUENCE_SHIFT;
  }

  /** Whether the partition has blocks but its end is not marked yet. */
  boolean isUnended(int partition) {
    return tails[partition] != 0 && (tails[partition] & ENDED) == 0;
  }

  /** Whether the partition's last block ended inside a record. */
  boolean hasOpenRecord(int partition) {
    return (tails[partition] & OPEN_RECORD) != 0;
  }

  void checkNotEnded(int partition) {
    if ((tails[partition] & ENDED) != 0) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT, "partition " + partition + " was ended by a LAST block");
    }
  }

  /** Flags for the next block: what the caller gave, and CONTINUED where the last block asks it. */
  int flags(int partition, int given) {
    int lastAndOpen = BlockHeader.LAST | BlockHeader.CONTINUES;
    if ((given & lastAndOpen) == lastAndOpen) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT, "the last block of partition " + partition + " cannot go on");
    }
    return (tails[partition] & OPEN_RECORD) == 0 ? given : given | BlockHeader.CONTINUED;
  }

  /** Counts a block with such flags. */
  void added(int partition, int flags) {
    int next = (sequence(partition) + 1) << SEQUENCE_SHIFT;
    if ((flags & BlockHeader.LAST) != 0) {
      next |= ENDED;
    }
    if ((flags & BlockHeader.CONTINUES) != 0) {
      next |= OPEN_RECORD;
    }
    tails[partition] = next;
  }
}
