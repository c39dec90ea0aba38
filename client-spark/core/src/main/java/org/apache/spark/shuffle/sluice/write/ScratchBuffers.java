package org.apache.spark.shuffle.sluice.write;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Direct buffers for a raw block, or for what a codec makes of one, lent to tasks and kept for the
 * next: a task never pays for zeroing one. At most {@code maxIdle} are kept. Thread-safe.
 */
public final class ScratchBuffers {
  /** What codecs may add to a block, as a part of it; they add less. */
  private static final int EXPANSION_PART = 8;

  private final int bytes;
  private final ArrayBlockingQueue<ByteBuffer> idle;

  /**
   * @param bytes of a full raw block
   */
  public ScratchBuffers(int bytes, int maxIdle) {
    this.bytes = bytes;
    this.idle = new ArrayBlockingQueue<>(maxIdle);
  }

  /** Raw bytes that make a block full. */
  int bytes() {
    return bytes;
  }

  /** Size of each buffer, in bytes. */
  int capacity() {
    return bytes + bytes / EXPANSION_PART;
  }

  ByteBuffer borrow() {
    ByteBuffer buffer = idle.poll();
    return buffer == null ? ByteBuffer.allocateDirect(capacity()) : buffer;
  }

  /** Takes back a buffer from {@link #borrow}; the caller must not use it again. */
  void giveBack(ByteBuffer buffer) {
    buffer.clear();
    idle.offer(buffer); // refused when full: then the collector frees it
  }
}
