package io.sluice.server.fetch;

import io.sluice.server.fair.TurnQueue;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * A fixed number of direct buffers for reads from disks, made on demand. Thread-safe; who finds
 * none is given one that comes back: applications in turn, then their connections in turn.
 */
final class ReadBufferPool {
  private final int bufferBytes;
  private final int capacity;
  private final ArrayDeque<ByteBuffer> idle = new ArrayDeque<>();
  private final TurnQueue<Object, Taker> waiting = new TurnQueue<>();
  private int made;

  /**
   * @param bufferBytes size of each
   * @param capacity how many, at least 1
   */
  ReadBufferPool(int bufferBytes, int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("a pool of " + capacity);
    }
    this.bufferBytes = bufferBytes;
    this.capacity = capacity;
  }

  int bufferBytes() {
    return bufferBytes;
  }

  /** Buffers that somebody uses. */
  synchronized int inUse() {
    return made - idle.size();
  }

  /** Whether less than half of the buffers are in use. */
  synchronized boolean hasPlenty() {
    return (made - idle.size()) * 2 < capacity;
  }

  /** Who waits for a buffer. Called on whatever thread one comes back on. */
  interface Taker {
    /**
     * A buffer is there.
     *
     * @return whether it was taken, and is released by the taker from now on, or {@link #takeUnused
     *     handed back}; false if nobody is there any more
     */
    boolean take(ReadBuffer buffer);
  }

  /**
   * A buffer, or null; then {@code taker} is given one, once, when its turn has come: nobody who
   * comes later can have it first.
   *
   * @param application whose turn it takes
   * @param connection whose turn it takes among those of the application
   */
  synchronized @Nullable ReadBuffer tryTake(Object application, Object connection, Taker taker) {
    // None is idle, and all are made, while anybody waits.
    ByteBuffer buffer = idle.poll();
    if (buffer == null && made < capacity) {
      buffer = ByteBuffer.allocateDirect(bufferBytes);
      made++;
    }
    if (buffer == null) {
      waiting.add(application, connection, taker);
      return null;
    }
    return new ReadBuffer(this, buffer.clear());
  }

  /** Somebody who waited has no use for a buffer any more: it was no turn of the application. */
  void takeUnused(Object application, ReadBuffer buffer) {
    synchronized (this) {
      waiting.giveBack(application, bufferBytes, 1);
    }
    buffer.release();
  }

  /** Gives the buffer to the next in line. */
  void giveBack(ByteBuffer buffer) {
    Taker next;
    do {
      synchronized (this) {
        next = waiting.isEmpty() ? null : waiting.poll(bufferBytes, 1);
        if (next == null) {
          idle.push(buffer);
        }
      }
    } while (next != null && !next.take(new ReadBuffer(this, buffer.clear())));
  }
}
