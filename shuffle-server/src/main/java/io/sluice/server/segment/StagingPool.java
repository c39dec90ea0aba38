package io.sluice.server.segment;

import io.sluice.server.disk.AlignedBuffers;
import io.sluice.server.disk.DiskOptions;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The few staging buffers of a disk, and who waits for one. Thread-safe. */
final class StagingPool {
  private final int capacity;
  private final ArrayDeque<StagingBuffer> free = new ArrayDeque<>();
  // Whoever looks for work may ask again while a write is slow: each is here once.
  private Set<Runnable> waiting = new LinkedHashSet<>();

  StagingPool(DiskOptions options) {
    capacity = options.stagingBuffers();
    int size = options.stagingBuffer();
    ByteBuffer all = AlignedBuffers.allocate(options.stagingBuffers() * size);
    for (int i = 0; i < options.stagingBuffers(); i++) {
      free.add(new StagingBuffer(options, all.slice(i * size, size)));
    }
  }

  /**
   * A buffer, or null: then {@code onAvailable} runs when one comes back, or at {@link #wakeAll};
   * once, however often it was left.
   *
   * @param open whether buffers are given out at all
   */
  synchronized @Nullable StagingBuffer tryTake(Runnable onAvailable, BooleanSupplier open) {
    StagingBuffer buffer = open.getAsBoolean() ? free.poll() : null;
    if (buffer == null) {
      waiting.add(onAvailable);
    }
    return buffer;
  }

  /**
   * Takes a buffer back and runs all who wait: whoever comes too late waits again, but nobody waits
   * beside a free buffer.
   */
  void giveBack(StagingBuffer buffer) {
    synchronized (this) {
      free.add(buffer);
    }
    wakeAll();
  }

  /** Units being filled or written. */
  synchronized int inUse() {
    return capacity - free.size();
  }

  /** Runs all who wait. */
  void wakeAll() {
    Set<Runnable> woken;
    synchronized (this) {
      if (waiting.isEmpty()) {
        return;
      }
      woken = waiting;
      waiting = new LinkedHashSet<>();
    }
    woken.forEach(Runnable::run);
  }
}
