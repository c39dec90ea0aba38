package io.sluice.mapreduce.fake;

import io.sluice.client.MapOutput;
import io.sluice.common.block.BlockHeader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects blocks. Checks how it is used. */
public final class HeapMapOutput implements MapOutput {
  private final int mapIndex;
  private final long attemptId;
  private final int maxBlockBytes;
  private final List<HeapBlock> blocks = new ArrayList<>();
  private final long[] lengths;
  private final int[] sequences;
  private @Nullable ByteBuffer open;
  private int openPartition;
  private boolean finished;
  private boolean closed;
  private @Nullable RuntimeException failure;

  public HeapMapOutput(int partitions, int mapIndex, long attemptId, int maxBlockBytes) {
    this.lengths = new long[partitions];
    this.sequences = new int[partitions];
    this.mapIndex = mapIndex;
    this.attemptId = attemptId;
    this.maxBlockBytes = maxBlockBytes;
  }

  @Override
  public ByteBuffer beginBlock(int partition, int maxStoredLength) {
    check(open == null && !finished, "a block is open, or the output has ended");
    check(maxStoredLength <= maxBlockBytes, "too much room: " + maxStoredLength);
    openPartition = partition;
    ByteBuffer room = ByteBuffer.allocateDirect(maxStoredLength);
    open = room;
    return room;
  }

  @Override
  public void endBlock(int storedLength, int rawLength, int recordCount, int flags) {
    ByteBuffer room = open;
    if (room == null) {
      throw new IllegalStateException("no block is open");
    }
    open = null;
    byte[] stored = new byte[storedLength];
    room.get(0, stored);
    blocks.add(
        new HeapBlock(
            openPartition,
            mapIndex,
            attemptId,
            sequences[openPartition]++,
            flags,
            rawLength,
            recordCount,
            stored));
    lengths[openPartition] += storedLength + BlockHeader.LENGTH;
  }

  @Override
  public void cancelBlock() {
    open = null;
  }

  @Override
  public void flush() {}

  @Override
  public void finish() {
    check(open == null && !finished, "a block is open, or the output has ended");
    RuntimeException thrown = failure;
    if (thrown != null) {
      throw thrown;
    }
    finished = true;
  }

  /** What was pushed so far, in that order. */
  public List<HeapBlock> blocks() {
    return blocks;
  }

  public boolean isFinished() {
    return finished;
  }

  public boolean isClosed() {
    return closed;
  }

  /** From now on it cannot be finished. */
  public void fail(RuntimeException why) {
    failure = why;
  }

  @Override
  public long[] partitionLengths() {
    return lengths;
  }

  @Override
  public int firstEpoch() {
    return 0;
  }

  @Override
  public int lastEpoch() {
    return 0;
  }

  @Override
  public BitSet storedOn() {
    return new BitSet();
  }

  @Override
  public boolean majorityEnough() {
    return false;
  }

  @Override
  public long waitNanos() {
    return 0;
  }

  @Override
  public int maxBlockBytes() {
    return maxBlockBytes;
  }

  @Override
  public void close() {
    closed = true;
  }

  private static void check(boolean holds, String message) {
    if (!holds) {
      throw new IllegalStateException(message);
    }
  }
}
