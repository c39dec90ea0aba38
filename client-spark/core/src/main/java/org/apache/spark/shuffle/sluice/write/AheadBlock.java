package org.apache.spark.shuffle.sluice.write;

import java.nio.ByteBuffer;
import org.apache.spark.shuffle.sluice.codec.BlockCodec;
import org.apache.spark.shuffle.sluice.spare.SpareCores;
import org.apache.spark.shuffle.sluice.spare.Work;
import org.jspecify.annotations.Nullable;

/**
 * A raw block, and what a codec of its own makes of it, on a spare core or on the task's thread. It
 * owns two scratch buffers; those and the codec are the job's from {@link #begin} until {@link
 * #finish} has returned. Used by the task's thread, but for {@link #run}. Used again for later
 * blocks.
 */
final class AheadBlock implements Runnable, AutoCloseable {
  private final BlockCodec codec;
  private final ScratchBuffers buffers;
  private final ByteBuffer compressed;
  private ByteBuffer raw;
  private @Nullable Work work;

  private int partition;
  private int rawLength;
  private int records;
  private int flags;
  private int compressedLength;

  /**
   * @param codec closed with this
   * @param raw from {@code buffers}, as {@code compressed}; both are given back when this is closed
   */
  AheadBlock(BlockCodec codec, ScratchBuffers buffers, ByteBuffer raw, ByteBuffer compressed) {
    this.codec = codec;
    this.buffers = buffers;
    this.raw = raw;
    this.compressed = compressed;
  }

  /**
   * Takes a raw block.
   *
   * @param filled what it lies in, this object's from now on
   * @return another buffer instead, the caller's
   */
  ByteBuffer fill(ByteBuffer filled, int toPartition, int length, int count, int blockFlags) {
    ByteBuffer other = raw;
    raw = filled;
    partition = toPartition;
    rawLength = length;
    records = count;
    flags = blockFlags;
    compressedLength = -1;
    return other;
  }

  /** Has the block compressed: elsewhere if a core is spare, else here and now. */
  void begin(SpareCores cores) {
    work = cores.submit(this);
    if (work == null) {
      run();
    }
  }

  /** Compresses the block. */
  @Override
  public void run() {
    compressedLength = codec.compress(raw, rawLength, compressed);
  }

  /** Whether {@link #finish} would neither wait nor work. */
  boolean isOver() {
    return work == null || work.isOver();
  }

  /**
   * Sees the block compressed, by this thread if no core has come to it. Throws what the codec
   * threw.
   */
  void finish() throws InterruptedException {
    if (work != null) {
      work.finish();
      work = null;
    }
    if (compressedLength < 0) {
      throw new IllegalStateException("a block that failed to be compressed is asked for");
    }
  }

  int partition() {
    return partition;
  }

  int rawLength() {
    return rawLength;
  }

  int records() {
    return records;
  }

  int flags() {
    return flags;
  }

  /** The raw block from index 0 on, {@link #rawLength} bytes. */
  ByteBuffer raw() {
    return raw;
  }

  /** The compressed block from index 0 on, {@link #compressedLength} bytes. */
  ByteBuffer compressed() {
    return compressed;
  }

  int compressedLength() {
    return compressedLength;
  }

  int codec() {
    return codec.number();
  }

  /** Lets no core begin it that has not. */
  void takeBack() {
    if (work != null) {
      work.reclaim();
    }
  }

  /** Waits for a core that is at it: only then are its buffers anybody else's. */
  @Override
  public void close() {
    if (work != null) {
      work.abandon();
      work = null;
    }
    buffers.giveBack(raw);
    buffers.giveBack(compressed);
    codec.close();
  }
}
