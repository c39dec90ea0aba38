package io.sluice.benchmarks.wire.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import io.sluice.transport.TransportLimits;
import java.nio.ByteBuffer;
import java.util.Random;

/**
 * Frames as a client sends them, made before anything is measured: about 256 KiB of blocks of
 * partitions in turn. Together they are larger than a cache. Owns its buffers.
 */
public final class FrameRing implements AutoCloseable {
  private static final int FRAME_BYTES = 256 * 1024;
  private static final int RING_BYTES = 64 << 20;

  private final ByteBuf[] frames;
  private final int blocksPerFrame;
  private final int frameBytes;

  /** Makes frames of blocks of a turn's partitions: random bytes, which takes a moment. */
  public FrameRing(ByteBufAllocator allocator, int blockBytes) {
    this(allocator, blockBytes, WireShuffle.PARTITIONS, RING_BYTES);
  }

  /**
   * The same of any number of partitions.
   *
   * @param ringBytes of all frames together, about
   */
  public FrameRing(ByteBufAllocator allocator, int blockBytes, int partitions, int ringBytes) {
    int whole = blockBytes + BlockHeader.LENGTH;
    this.blocksPerFrame = Math.max(1, FRAME_BYTES / blockBytes);
    this.frameBytes = whole * blocksPerFrame;
    this.frames = new ByteBuf[Math.max(1, ringBytes / frameBytes)];
    Random random = new Random(7);
    Crc32c crc = new Crc32c();
    byte[] payload = new byte[blockBytes];
    int block = 0;
    for (int f = 0; f < frames.length; f++) {
      ByteBuf frame = allocator.directBuffer(frameBytes, frameBytes);
      ByteBuffer view = frame.nioBuffer(0, frameBytes);
      for (int i = 0; i < blocksPerFrame; i++) {
        int at = i * whole;
        random.nextBytes(payload);
        int partition = block % partitions;
        int map = block / partitions;
        BlockHeader.write(
            view, at, BlockHeader.LAST, partition, map, map, 0, blockBytes, blockBytes, 1);
        view.put(at + BlockHeader.LENGTH, payload);
        BlockHeader.seal(view, at, crc);
        block++;
      }
      frames[f] = frame.writerIndex(frameBytes);
    }
  }

  /** How many frames there are. */
  public int size() {
    return frames.length;
  }

  /** One of them; it stays the ring's. */
  public ByteBuf frame(int number) {
    return frames[number];
  }

  /** Blocks in each. */
  public int blocksPerFrame() {
    return blocksPerFrame;
  }

  /** Bytes of each. */
  public int frameBytes() {
    return frameBytes;
  }

  /** Credit that a frame costs. */
  public long charge() {
    return blocksPerFrame
        * TransportLimits.charge(frameBytes / blocksPerFrame - BlockHeader.LENGTH);
  }

  @Override
  public void close() {
    for (ByteBuf frame : frames) {
      frame.release();
    }
  }
}
