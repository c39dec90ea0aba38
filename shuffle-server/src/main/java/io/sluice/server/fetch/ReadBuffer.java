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
    return new Piece(this, buffer.slice(offset, length), length);
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

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Piece(ReadBuffer owner, ByteBuffer[] buffers, int length) implements OutgoingData {
    Piece(ReadBuffer owner, ByteBuffer bytes, int length) {
      this(owner, new ByteBuffer[] {bytes}, length);
    }

    @Override
    public void close() {
      owner.release();
    }
  }
}
