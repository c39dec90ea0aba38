package io.sluice.client.fetch;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/**
 * A range of a landing buffer that holds whole blocks, back to back. Owns one reference to the
 * buffer; the stream may go on writing behind the range.
 */
final class LandedBlocks extends Arrival {
  private final ByteBuf buffer;
  private final ByteBuffer bytes;
  private final LandingStream stream;

  /** Retains the buffer. */
  LandedBlocks(ByteBuf buffer, int from, int to, LandingStream stream) {
    this.buffer = buffer.retain();
    this.bytes = buffer.nioBuffer(from, to - from);
    this.stream = stream;
  }

  /** The blocks, from 0 to the limit; position and limit are not to be moved. */
  ByteBuffer bytes() {
    return bytes;
  }

  int length() {
    return bytes.limit();
  }

  LandingStream stream() {
    return stream;
  }

  void release() {
    buffer.release();
  }

  @Override
  void deliver(FetchingBlockReader reader) {
    reader.landed(this);
  }

  @Override
  void discard() {
    release();
  }
}
