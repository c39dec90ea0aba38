package io.sluice.server.fetch;

import io.sluice.server.fair.TurnQueue;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * A fixed number of direct buffers for reads from disks, made on demand. Thread-safe; who finds
 * none is called when one comes back: applications in turn, then their connections in turn.
 */
final class ReadBufferPool {
  private final int bufferBytes;
  private final int capacity;
  private final ArrayDeque<ByteBuffer> idle = new ArrayDeque<>();
  private final TurnQueue<Object, Runnable> waiting = new TurnQueue<>();
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

  /**
   * A buffer, or null; then {@code onAvailable} runs once when one has come back, and whoever it
   * wakes calls {@link #passOn} after having looked, so that the next one is woken too.
   *
   * @param application whose turn it takes
   * @param connection whose turn it takes among those of the application
   */
  synchronized @Nullable ReadBuffer tryTake(
      Object application, Object connection, Runnable onAvailable) {
    ByteBuffer buffer = idle.poll();
    if (buffer == null && made < capacity) {
      buffer = ByteBuffer.allocateDirect(bufferBytes);
      made++;
    }
    if (buffer == null) {
      waiting.add(application, connection, onAvailable);
      return null;
    }
    return new ReadBuffer(this, buffer.clear());
  }

  /** Wakes the next in line if there is something for it. */
  void passOn() {
    Runnable next;
    synchronized (this) {
      boolean none = waiting.isEmpty() || (idle.isEmpty() && made == capacity);
      next = none ? null : waiting.poll(bufferBytes, 1);
    }
    if (next != null) {
      next.run();
    }
  }

  void giveBack(ByteBuffer buffer) {
    synchronized (this) {
      idle.push(buffer);
    }
    passOn();
  }
}
