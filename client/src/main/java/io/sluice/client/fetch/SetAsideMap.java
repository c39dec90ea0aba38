package io.sluice.client.fetch;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Blocks of one map for one partition that were dropped: of whole chains, once all that the servers
 * have of the map has come. On the task's thread.
 *
 * <p>Four bytes for each block that the map has for the partition, up to the last one dropped, and
 * two bits: of 20 GB in blocks of 256 KiB 340 kB.
 */
final class SetAsideMap {
  private final int partition;
  private final int mapIndex;
  private final BitSet sequences = new BitSet();
  private final BitSet continues = new BitSet();
  private int[] lengths = new int[16];
  private long bytes;

  SetAsideMap(int partition, int mapIndex) {
    this.partition = partition;
    this.mapIndex = mapIndex;
  }

  void add(int sequence, int length, boolean goesOn) {
    if (sequence >= lengths.length) {
      lengths = Arrays.copyOf(lengths, Math.max(sequence + 1, 2 * lengths.length));
    }
    sequences.set(sequence);
    continues.set(sequence, goesOn);
    lengths[sequence] = length;
    bytes += length;
  }

  int partition() {
    return partition;
  }

  int mapIndex() {
    return mapIndex;
  }

  /** Of all blocks, with their headers. */
  long bytes() {
    return bytes;
  }

  /** Numbers of the blocks; a copy. */
  BitSet sequences() {
    return (BitSet) sequences.clone();
  }

  /** Numbers of the first blocks of chains. */
  BitSet chainStarts() {
    BitSet starts = new BitSet();
    for (int at = sequences.nextSetBit(0); at >= 0; at = sequences.nextSetBit(at + 1)) {
      if (!isJoined(at)) {
        starts.set(at);
      }
    }
    return starts;
  }

  /** Bytes of the longest chain. */
  long longest() {
    long longest = 0;
    long length = 0;
    for (int at = sequences.nextSetBit(0); at >= 0; at = sequences.nextSetBit(at + 1)) {
      length = lengths[at] + (isJoined(at) ? length : 0);
      longest = Math.max(longest, length);
    }
    return longest;
  }

  /** Whether a block goes on with the record of the one before. */
  private boolean isJoined(int sequence) {
    return sequence > 0 && sequences.get(sequence - 1) && continues.get(sequence - 1);
  }
}
