package io.sluice.server.segment;

import java.nio.ByteBuffer;

/**
 * A unit being staged: extents of one shuffle in partition order, copied into one aligned buffer.
 * Used by one thread, then handed to {@link SegmentStore#write} or discarded.
 */
public interface UnitBuilder {
  /** Payload bytes that still fit, assuming one more extent. */
  int remaining();

  /**
   * Begins the extent of a partition. Partitions must ascend within a unit.
   *
   * @return the staging buffer positioned where the extent's first block goes; append whole blocks
   *     (header and payload) in (mapIndex, attempt, sequence) order, calling {@link #endBlock}
   *     after each
   */
  ByteBuffer beginExtent(int partition);

  /**
   * Ends the block at the buffer's position, which began where the one before it ended: its header
   * is read there for the unit's tables.
   */
  void endBlock();

  /** Ends the extent at the buffer's position. */
  void endExtent();

  /** Gives the staging buffer back unwritten. */
  void discard();
}
