package io.sluice.client.push;

import io.sluice.client.TaskSignal;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Frame memory that a map output has handed to connections and not back yet, and whether the output
 * is still worth anything. The one place where a task's thread and event loops meet: the thread
 * adds and waits, loops subtract and fail.
 */
final class InFlight {
  private final TaskSignal signal;
  private final Clock clock;
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicReference<@Nullable SluiceException> failure = new AtomicReference<>();
  private volatile boolean abandoned;

  // What the thread waits for: set before it looks at `bytes`, read after they were changed, so
  // that one of the two sees the other. No wake-up before there is anything to do.
  private volatile long awaited = -1;
  private long waitNanos;

  InFlight(TaskSignal signal, Clock clock) {
    this.signal = signal;
    this.clock = clock;
  }

  // -------------------------------------------------------------------------------- any thread

  boolean abandoned() {
    return abandoned;
  }

  void add(long count) {
    bytes.addAndGet(count);
  }

  void subtract(long count) {
    if (bytes.addAndGet(-count) <= awaited) {
      signal.signal();
    }
  }

  /** Remembers the first failure. */
  void fail(SluiceException cause) {
    failure.compareAndSet(null, cause);
    abandoned = true;
    signal.signal();
  }

  void abandon() {
    abandoned = true;
  }

  // ------------------------------------------------------------------------- the task's thread

  /** Throws what a connection reported, if it did. */
  void check() {
    SluiceException cause = failure.get();
    if (cause != null) {
      // A new exception, so that the trace shows the task as well as the event loop.
      throw new SluiceException(cause.code(), "map output failed: " + cause.getMessage(), cause);
    }
  }

  /**
   * Waits, if more than {@code limit} bytes are in flight, until at most {@code goal} are. With a
   * goal well under the limit the thread is not woken for every frame.
   */
  void awaitAtMost(long limit, long goal) throws InterruptedException {
    check();
    if (bytes.get() <= limit) {
      return;
    }
    long start = clock.nanoTime();
    awaited = goal;
    try {
      while (bytes.get() > goal) {
        signal.await();
        check();
      }
    } finally {
      awaited = -1;
      waitNanos += clock.nanoTime() - start;
    }
  }

  long waitNanos() {
    return waitNanos;
  }
}
