package io.sluice.transport.session;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.frame.FrameHeader;
import io.sluice.transport.frame.FrameType;
import java.nio.ByteBuffer;

/**
 * Cuts a byte stream into frames, whatever pieces it comes in. Bodies of bulk frames are handed on
 * as they arrive; only headers and small bodies that straddle pieces are copied.
 */
final class FrameReader implements AutoCloseable {
  /** Receives frames. Any call may throw a coded exception or stop the reader. */
  interface Sink {
    /** A frame begins; its header has passed all checks that need no state. */
    void begin(FrameType type, int subject, int argument, int length);

    /** The body of the frame begun last, unless it is bulk. */
    void body(FrameType type, int subject, int argument, ByteBuffer bytes, int offset, int length);

    /** The next piece of the bulk frame begun last. */
    void bulkPart(ByteBuffer bytes, int offset, int length);

    /** The bulk frame begun last is complete. */
    void bulkEnd();
  }

  private enum State {
    MAGIC,
    HEADER,
    BODY,
    BULK,
    STOPPED
  }

  private final Sink sink;
  private final Carry carry;
  private State state = State.MAGIC;
  private int magicSeen;
  private FrameType type = FrameType.HELLO;
  private int subject;
  private int argument;
  private int length;
  private int bulkRemaining;
  private long framesEnded;

  FrameReader(Sink sink, ByteBufAllocator alloc) {
    this.sink = sink;
    this.carry = new Carry(alloc);
  }

  void receive(ByteBuffer in, int offset, int count) {
    int position = offset;
    int end = offset + count;
    while (position < end) {
      switch (state) {
        case MAGIC:
          position = magic(in, position, end);
          break;
        case HEADER:
          position = header(in, position, end);
          break;
        case BODY:
          position = body(in, position, end);
          break;
        case BULK:
          position = bulk(in, position, end);
          break;
        case STOPPED:
          return;
      }
    }
  }

  private int magic(ByteBuffer in, int start, int end) {
    int position = start;
    while (position < end && magicSeen < FrameHeader.MAGIC_LENGTH) {
      int shift = 8 * (FrameHeader.MAGIC_LENGTH - 1 - magicSeen);
      if (in.get(position) != (byte) (FrameHeader.MAGIC >>> shift)) {
        throw new SluiceException(ErrorCode.BAD_MAGIC, "the peer does not speak this protocol");
      }
      position++;
      magicSeen++;
    }
    if (magicSeen == FrameHeader.MAGIC_LENGTH) {
      state = State.HEADER;
    }
    return position;
  }

  private int header(ByteBuffer in, int position, int end) {
    if (carry.isEmpty() && end - position >= FrameHeader.LENGTH) {
      beginFrame(in, position);
      return position + FrameHeader.LENGTH;
    }
    int taken = carry.fill(in, position, end, FrameHeader.LENGTH);
    if (carry.holds(FrameHeader.LENGTH)) {
      carry.clear();
      beginFrame(carry.view(), 0);
    }
    return position + taken;
  }

  private void beginFrame(ByteBuffer buffer, int offset) {
    type = FrameHeader.check(buffer, offset);
    length = FrameHeader.bodyLength(buffer, offset);
    subject = FrameHeader.subject(buffer, offset);
    argument = FrameHeader.argument(buffer, offset);
    sink.begin(type, subject, argument, length);
    if (state == State.STOPPED) {
      return;
    }
    if (type.isBulk()) {
      bulkRemaining = length;
      state = State.BULK;
    } else if (length > 0) {
      state = State.BODY;
    } else {
      deliver(buffer, offset);
    }
  }

  private int body(ByteBuffer in, int position, int end) {
    if (carry.isEmpty() && end - position >= length) {
      deliver(in, position);
      return position + length;
    }
    int taken = carry.fill(in, position, end, length);
    if (carry.holds(length)) {
      carry.clear();
      deliver(carry.view(), 0);
    }
    return position + taken;
  }

  private void deliver(ByteBuffer buffer, int offset) {
    state = State.HEADER;
    framesEnded++;
    sink.body(type, subject, argument, buffer, offset, length);
  }

  private int bulk(ByteBuffer in, int position, int end) {
    int part = Math.min(bulkRemaining, end - position);
    bulkRemaining -= part;
    sink.bulkPart(in, position, part);
    if (bulkRemaining == 0 && state == State.BULK) {
      state = State.HEADER;
      framesEnded++;
      sink.bulkEnd();
    }
    return position + part;
  }

  /** Ignores everything from here on, also the rest of the piece being read. */
  void stop() {
    state = State.STOPPED;
  }

  /** Whether a frame has begun and not ended. */
  boolean isMidFrame() {
    return state == State.BODY || state == State.BULK || !carry.isEmpty();
  }

  /** Grows with every frame; tells a slow frame from many quick ones. */
  long framesEnded() {
    return framesEnded;
  }

  /** Frees the carry. Not from within {@link #receive}. */
  @Override
  public void close() {
    stop();
    carry.close();
  }
}
