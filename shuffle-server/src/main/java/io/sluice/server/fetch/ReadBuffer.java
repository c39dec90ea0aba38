package io.sluice.server.fetch;

import io.sluice.transport.OutgoingData;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** A pooled buffer with what was read into it; goes back to the pool with its last lease. */
final class ReadBuffer {
  private final ReadBufferPool pool;
  private final ByteBuffer buffer;
  private final AtomicInteger leases = new AtomicInteger(1);

  ReadBuffer(ReadBufferPool pool, ByteBuffer buffer) {
    this.pool = pool;
    this.buffer = buffer;
  }

  /** To be read into, from position to limit. */
  ByteBuffer target() {
    return buffer;
  }

  /** Part of what was read, with a lease of its own. */
  OutgoingData piece(int offset, int length) {
    leases.incrementAndGet();
    return new Piece(this, offset, length);
  }

  void release() {
    int left = leases.decrementAndGet();
    if (left < 0) {
      throw new IllegalStateException("read buffer released twice");
    }
    if (left == 0) {
      pool.giveBack(buffer);
    }
  }

  private record Piece(ReadBuffer owner, int start, int length) implements OutgoingData {
    @Override
    public ByteBuffer[] buffers() {
      return new ByteBuffer[] {owner.buffer.slice(start, length)};
    }

    @Override
    public int ranges() {
      return 1;
    }

    @Override
    public ByteBuffer memory(int range) {
      return owner.buffer;
    }

    @Override
    public int start(int range) {
      return start;
    }

    @Override
    public int length(int range) {
      return length;
    }

    @Override
    public void close() {
      owner.release();
    }
  }
}
