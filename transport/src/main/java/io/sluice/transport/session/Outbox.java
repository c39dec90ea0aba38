package io.sluice.transport.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.transport.OutgoingData;

/**
 * The sending half that both sides share: small frames go straight to the output, bulk through the
 * {@link SendQueue}. Once shut it releases whatever it is given, so that late calls on a link are
 * harmless.
 */
final class Outbox {
  /**
   * What the owner does when the outside changes; never called from within the outbox's methods.
   */
  interface Owner {
    /** There is room again after {@link #isWritable} was false. */
    void writable();

    /** The peer makes this side queue answers and does not read them. */
    void overflowed();
  }

  /** Answers that may wait for a peer that does not read. */
  static final long MAX_PENDING_BYTES = 4L << 20;

  private final Output output;
  private final Owner owner;
  private final long pendingLimit;
  private final SendQueue queue;
  private boolean dirty;
  private boolean flushing;
  private boolean sessionBlocked;
  private boolean overflowed;
  private boolean shut;

  /**
   * @param bulkBytes the most that one bulk frame may add to the output
   */
  Outbox(Output output, Owner owner, int bulkBytes) {
    this.output = output;
    this.owner = owner;
    this.pendingLimit = MAX_PENDING_BYTES + SendQueue.HIGH_WATER + bulkBytes;
    this.queue = new SendQueue(output);
  }

  ByteBufAllocator alloc() {
    return output.alloc();
  }

  Output output() {
    return output;
  }

  /** Sends a small frame ahead of waiting bulk. Takes ownership. */
  void control(ByteBuf frame) {
    if (shut) {
      frame.release();
      return;
    }
    output.write(frame);
    dirty = true;
    if (!overflowed && output.pendingBytes() > pendingLimit) {
      overflowed = true;
      output.executor().execute(owner::overflowed);
    }
  }

  /** Sends a small frame behind the bulk given before. Takes ownership. */
  void ordered(int subject, ByteBuf frame) {
    if (shut) {
      frame.release();
      return;
    }
    queue.add(subject, frame);
    dirty = true;
  }

  /** Takes ownership of both. */
  void bulk(int subject, ByteBuf header, ByteBuf body) {
    if (shut) {
      header.release();
      body.release();
      return;
    }
    queue.add(subject, header, body);
    dirty = true;
  }

  /** Takes ownership of both. */
  void bulk(int subject, ByteBuf header, OutgoingData body) {
    if (shut) {
      header.release();
      body.close();
      return;
    }
    queue.add(subject, header, body);
    dirty = true;
  }

  void drop(int subject) {
    queue.drop(subject);
  }

  boolean isWritable() {
    boolean writable = !shut && queue.isWritable();
    if (!writable) {
      sessionBlocked = true;
    }
    return writable;
  }

  void flush() {
    if (shut || flushing) {
      return;
    }
    flushing = true;
    try {
      while (!queue.isEmpty() && output.isWritable()) {
        queue.pump();
        output.flush();
        dirty = false;
      }
      if (dirty) {
        dirty = false;
        output.flush();
      }
    } finally {
      flushing = false;
    }
    if (sessionBlocked && queue.isWritable()) {
      sessionBlocked = false;
      output.executor().execute(owner::writable);
    }
  }

  /** Sends everything that waits, whatever the high-water mark, then one last frame. */
  void finish(ByteBuf last) {
    if (!shut) {
      queue.drain();
    }
    sendLast(last);
  }

  /** Drops the bulk that waits and sends one last frame. */
  void sendLast(ByteBuf last) {
    if (shut) {
      last.release();
      return;
    }
    shut();
    output.write(last);
    output.flush();
  }

  void drain() {
    if (!shut) {
      queue.drain();
      output.flush();
    }
  }

  /** Drops the bulk that waits; nothing can be sent from here on. */
  void shut() {
    shut = true;
    queue.close();
  }
}
