package io.sluice.transport.session;

import io.netty.buffer.ByteBuf;
import io.sluice.transport.frame.FrameHeader;
import io.sluice.transport.frame.FrameType;
import org.jspecify.annotations.Nullable;

/**
 * The sending half that both sides share.
 *
 * <p>Small frames, and the headers of bulk frames, are appended to one buffer, which goes to the
 * output when it is full, when a bulk body must follow, or on a flush: many acks cost one write.
 * Bulk goes to the output while that is below its high-water mark and waits in a {@link SendQueue}
 * otherwise, so that small frames overtake it. Once shut, nothing is sent and whatever is given is
 * released, so that late calls on a link are harmless.
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

  /** Bytes that may wait in the queue before the session is told to pause: four data chunks. */
  static final long HIGH_WATER = 1 << 20;

  /** Small frames gathered before they are handed on; one frame may exceed it by its length. */
  private static final int BATCH_BYTES = 4096;

  private static final int FIRST_CAPACITY = 256;

  private final Output output;
  private final Owner owner;
  private final long pendingLimit;
  private final SendQueue queue = new SendQueue();
  private @Nullable ByteBuf batch;
  private boolean unflushed;
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
    this.pendingLimit = MAX_PENDING_BYTES + HIGH_WATER + bulkBytes;
  }

  Output output() {
    return output;
  }

  /** Whether anything can still be sent; to be asked before {@link #small} and {@link #ordered}. */
  boolean isOpen() {
    return !shut;
  }

  /** Where to append one small frame, which overtakes waiting bulk. */
  ByteBuf small() {
    if (batch != null && batch.readableBytes() >= BATCH_BYTES) {
      handOver();
      checkPending();
    }
    if (batch == null) {
      batch = output.alloc().directBuffer(FIRST_CAPACITY);
    }
    return batch;
  }

  /**
   * Where to append one small frame that stays behind the bulk given before.
   *
   * @param most bytes that the frame may have
   */
  ByteBuf ordered(int subject, int most) {
    if (queue.isEmpty()) {
      return small();
    }
    // While bulk waits, each of these holds a buffer: a peer that asks for streams and does not
    // read what it gets would make us hold any number of them.
    int capacity = Math.max(FIRST_CAPACITY, most);
    ByteBuf frame = output.alloc().directBuffer(capacity, capacity);
    queue.add(SendQueue.Entry.frame(subject, frame));
    checkPending();
    return frame;
  }

  /**
   * As {@link #ordered}, but behind the bulk of the same subject only. Looks at all that waits: for
   * frames that are rare.
   */
  ByteBuf behind(int subject, int most) {
    return queue.holds(subject) ? ordered(subject, most) : small();
  }

  /** Sends a bulk frame or lets it wait. Takes ownership. */
  void bulk(SendQueue.Entry entry) {
    if (shut) {
      entry.close();
    } else if (queue.isEmpty() && output.isWritable()) {
      send(entry);
    } else {
      queue.add(entry);
    }
  }

  private void send(SendQueue.Entry entry) {
    FrameType type = entry.type;
    if (type != null) {
      FrameHeader.write(small(), type, entry.subject, entry.argument, entry.length);
    }
    handOver();
    if (entry.bytes != null) {
      output.write(entry.bytes);
    }
    if (entry.data != null) {
      output.write(entry.data);
    }
    unflushed = true;
  }

  private void handOver() {
    if (batch == null) {
      return;
    }
    // Forgotten before it is written: the write may fill the output, which then calls flush.
    ByteBuf full = batch;
    batch = null;
    unflushed = true;
    output.write(full);
  }

  private void checkPending() {
    if (!overflowed && output.pendingBytes() + queue.frameBytes() > pendingLimit) {
      overflowed = true;
      output.executor().execute(owner::overflowed);
    }
  }

  /** Drops what waits for one stream. */
  void drop(int stream) {
    queue.drop(stream);
  }

  boolean isWritable() {
    boolean writable = hasRoom();
    if (!writable) {
      sessionBlocked = true;
    }
    return writable;
  }

  private boolean hasRoom() {
    return !shut && queue.bytes() < HIGH_WATER && output.isWritable();
  }

  void flush() {
    if (shut || flushing) {
      return;
    }
    flushing = true;
    try {
      handOver();
      checkPending();
      do {
        feed();
        if (unflushed) {
          unflushed = false;
          output.flush();
        }
      } while (!queue.isEmpty() && output.isWritable());
    } finally {
      flushing = false;
    }
    if (sessionBlocked && hasRoom()) {
      sessionBlocked = false;
      output.executor().execute(owner::writable);
    }
  }

  private void feed() {
    while (output.isWritable()) {
      SendQueue.Entry entry = queue.poll();
      if (entry == null) {
        return;
      }
      send(entry);
    }
  }

  /**
   * Hands everything that waits to the output, whatever its high-water mark: for an orderly end.
   */
  void drain() {
    flushing = true; // A full output must not call for more in the middle of a frame.
    try {
      SendQueue.Entry entry;
      while ((entry = queue.poll()) != null) {
        send(entry);
      }
    } finally {
      flushing = false;
    }
  }

  /** Drops the bulk that waits. */
  void dropBulk() {
    queue.close();
  }

  /** Flushes what has been handed over and shuts. */
  void flushAndShut() {
    if (!shut) {
      handOver();
      output.flush();
      shut();
    }
  }

  /** Drops all that waits; nothing can be sent from here on. */
  void shut() {
    shut = true;
    queue.close();
    if (batch != null) {
      batch.release();
      batch = null;
    }
  }
}
