package org.apache.spark.shuffle.sluice.write;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Direct buffers of one size, lent to tasks and kept for the next: a task never pays for zeroing
 * one. At most {@code maxIdle} are kept. Thread-safe.
 */
public final class ScratchBuffers {
  private final int bytes;
  private final ArrayBlockingQueue<ByteBuffer> idle;

  public ScratchBuffers(int bytes, int maxIdle) {
    this.bytes = bytes;
    this.idle = new ArrayBlockingQueue<>(maxIdle);
  }

  /** Size of each buffer. */
  int bytes() {
    return bytes;
  }

  ByteBuffer borrow() {
    ByteBuffer buffer = idle.poll();
    return buffer == null ? ByteBuffer.allocateDirect(bytes) : buffer;
  }

  /** Takes back a buffer from {@link #borrow}; the caller must not use it again. */
  void giveBack(ByteBuffer buffer) {
    buffer.clear();
    // Refused when full: then the collector frees it.
    boolean kept = idle.offer(buffer);
    assert kept || idle.remainingCapacity() == 0;
  }
}
