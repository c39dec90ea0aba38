package io.sluice.server.memory;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The arena's bytes that nobody holds. Every promise of memory, be it credit of a client or a
 * chunk, is taken from here first, so that the sum of all promises never exceeds the capacity.
 * Thread-safe.
 */
public final class MemoryBudget {
  private final long capacity;
  private final AtomicLong free;
  private final AtomicReference<@Nullable Waiter> waiter = new AtomicReference<>();

  /**
   * @param capacity in bytes
   */
  public MemoryBudget(long capacity) {
    this.capacity = capacity;
    this.free = new AtomicLong(capacity);
  }

  public long capacity() {
    return capacity;
  }

  public long free() {
    return free.get();
  }

  /** All of {@code bytes}, or null if so many are not free. */
  public @Nullable MemoryReservation tryReserve(long bytes) {
    return tryTake(bytes) ? new MemoryReservation(this, bytes) : null;
  }

  /** A reservation of nothing, to be filled by {@link MemoryReservation#absorb} or {@code grow}. */
  public MemoryReservation empty() {
    return new MemoryReservation(this, 0);
  }

  /**
   * Has {@code task} run once, on the thread that makes at least {@code bytes} free; it must be
   * short and take no partition's lock. One task waits at a time: a later call replaces an earlier
   * one.
   *
   * @return false if so many are free already: nothing waits then, look again
   */
  public boolean awaitFree(long bytes, Runnable task) {
    Waiter mine = new Waiter(bytes, task);
    waiter.set(mine);
    // Freed between the caller's look and our registration: nobody else would wake it.
    return free.get() < bytes || !waiter.compareAndSet(mine, null);
  }

  /** Forgets what waits. */
  public void stopWaiting() {
    waiter.set(null);
  }

  boolean tryTake(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("negative reservation: " + bytes);
    }
    long seen = free.get();
    while (seen >= bytes) {
      long witness = free.compareAndExchange(seen, seen - bytes);
      if (witness == seen) {
        return true;
      }
      seen = witness;
    }
    return false;
  }

  void release(long bytes) {
    if (bytes == 0) {
      return;
    }
    long now = free.addAndGet(bytes);
    if (now > capacity) {
      throw new IllegalStateException("more memory was given back than taken: " + now);
    }
    wake(now);
  }

  private void wake(long now) {
    Waiter first = waiter.get();
    if (first != null && now >= first.bytes && waiter.compareAndSet(first, null)) {
      first.task.run();
    }
  }

  private record Waiter(long bytes, Runnable task) {}
}
