package io.sluice.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.sluice.transport.TransportLimits;
import java.nio.ByteBuffer;

/**
 * The one buffer that all connections of an event loop receive into. Each read fills it from its
 * start and is parsed before the next read of any connection begins, so nobody may keep a reference
 * beyond the synchronous call.
 */
final class ReceiveBuffer implements AutoCloseable {
  /** Reads of one connection before others of the loop get their turn: 16 x 256 KiB. */
  private static final int READS_PER_TURN = 16;

  private final ByteBuf buffer;
  private final ByteBuffer view;

  ReceiveBuffer(ByteBufAllocator alloc) {
    int capacity = TransportLimits.RECEIVE_BUFFER_BYTES;
    this.buffer = alloc.directBuffer(capacity, capacity);
    this.view = buffer.nioBuffer(0, capacity);
  }

  /** Whether a buffer that arrived is this one, so that {@link #view} can be read instead. */
  @SuppressWarnings("ReferenceEquality") // Equal bytes elsewhere are not this buffer.
  boolean is(ByteBuf received) {
    return received == buffer;
  }

  /** The whole buffer; indices are those of the buffer itself. */
  ByteBuffer view() {
    return view;
  }

  /** Makes a channel of this event loop receive into this buffer. */
  RecvByteBufAllocator allocator() {
    return new Allocator(buffer);
  }

  @Override
  public void close() {
    buffer.release();
  }

  private static final class Allocator extends DefaultMaxMessagesRecvByteBufAllocator {
    private final ByteBuf shared;

    Allocator(ByteBuf shared) {
      super(READS_PER_TURN);
      this.shared = shared;
    }

    @SuppressWarnings("deprecation") // Netty has not given the method to replace it yet.
    @Override
    public Handle newHandle() {
      return new MaxMessageHandle() {
        @Override
        public ByteBuf allocate(ByteBufAllocator ignored) {
          return shared.retain().clear();
        }

        @Override
        public int guess() {
          return shared.capacity();
        }
      };
    }
  }
}
