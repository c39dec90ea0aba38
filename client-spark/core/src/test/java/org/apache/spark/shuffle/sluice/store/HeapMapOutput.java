package org.apache.spark.shuffle.sluice.store;

import io.sluice.client.MapOutput;
import io.sluice.common.block.BlockHeader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Collects blocks; hands them over when the output is finished. Checks how it is used. */
public final class HeapMapOutput implements MapOutput {
  public static final int MAX_BLOCK_BYTES = 320 * 1024;

  private final int mapIndex;
  private final long attemptId;
  private final int epoch;
  private final Consumer<List<HeapBlock>> sink;
  private final Consumer<HeapMapOutput> ending;
  private final List<HeapBlock> blocks = new ArrayList<>();
  private final long[] lengths;
  private final int[] sequences;
  private BlockListener listener = before -> {};
  private @Nullable ByteBuffer open;
  private int openPartition;
  private long waitNanos;
  private boolean finished;
  private boolean closed;

  public HeapMapOutput(
      int partitions, int mapIndex, long attemptId, Consumer<List<HeapBlock>> sink) {
    this(partitions, mapIndex, attemptId, 0, sink, closed -> {});
  }

  HeapMapOutput(
      int partitions,
      int mapIndex,
      long attemptId,
      int epoch,
      Consumer<List<HeapBlock>> sink,
      Consumer<HeapMapOutput> ending) {
    this.lengths = new long[partitions];
    this.sequences = new int[partitions];
    this.epoch = epoch;
    this.mapIndex = mapIndex;
    this.attemptId = attemptId;
    this.sink = sink;
    this.ending = ending;
  }

  /** Hears of each block before it begins, and may fail it. */
  public interface BlockListener {
    /**
     * @param before how many blocks there are
     */
    void begins(int before) throws InterruptedException;
  }

  /** Has a listener hear of blocks from here on. */
  public void tell(BlockListener ofBlocks) {
    listener = ofBlocks;
  }

  @Override
  public ByteBuffer beginBlock(int partition, int maxStoredLength) throws InterruptedException {
    listener.begins(blocks.size());
    check(open == null && !finished && !closed, "a block is open, or the output ended");
    check(maxStoredLength <= MAX_BLOCK_BYTES, "too much room: " + maxStoredLength);
    openPartition = partition;
    open = ByteBuffer.allocateDirect(maxStoredLength);
    return open;
  }

  @Override
  public void endBlock(int storedLength, int rawLength, int recordCount, int flags) {
    ByteBuffer room = open;
    if (room == null) {
      throw new IllegalStateException("no block is open");
    }
    open = null;
    check(storedLength <= room.capacity(), "a block overran its room");
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
    check(open == null, "a block is open");
    finished = true;
    boolean[] ended = new boolean[lengths.length];
    for (HeapBlock block : blocks) {
      check(!ended[block.partition()], "a block behind the last one");
      ended[block.partition()] = block.isLast();
    }
    for (int partition = 0; partition < lengths.length; partition++) {
      if (lengths[partition] > 0 && !ended[partition]) {
        blocks.add(
            new HeapBlock(
                partition,
                mapIndex,
                attemptId,
                sequences[partition]++,
                BlockHeader.LAST,
                0,
                0,
                new byte[0]));
        lengths[partition] += BlockHeader.LENGTH;
      }
    }
    sink.accept(blocks);
  }

  public List<HeapBlock> blocks() {
    return blocks;
  }

  public boolean isClosed() {
    return closed;
  }

  @Override
  public long[] partitionLengths() {
    return lengths;
  }

  @Override
  public int firstEpoch() {
    return epoch;
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
  public int lastEpoch() {
    return epoch;
  }

  @Override
  public long waitNanos() {
    return waitNanos;
  }

  /** Lets it have waited for so long more. */
  public void waited(long nanos) {
    waitNanos += nanos;
  }

  @Override
  public int maxBlockBytes() {
    return MAX_BLOCK_BYTES;
  }

  @Override
  public void close() {
    closed = true;
    ending.accept(this);
  }

  private static void check(boolean holds, String message) {
    if (!holds) {
      throw new IllegalStateException(message);
    }
  }
}
