package io.sluice.client.fetch;

import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Notices when a task has waited in vain for a whole deadline. What is measured is one wait: a task
 * that is busy with what it has got waits for nobody, however long that takes it.
 *
 * <p>Tasks wait often and briefly, so a wait costs two volatile writes. The timer is set by a wait
 * that finds none set; when it fires it looks whether a wait is under way, since when, and sets
 * itself again for the rest, or not at all. {@code armed} is cleared before {@code waiting} is read
 * a last time, and {@code waiting} is set before {@code armed} is read, so no wait goes unwatched.
 */
final class StallWatch {
  private final Scheduler loop;
  private final Clock clock;
  private final long deadlineNanos;
  private final ArrivalQueue arrivals;
  private final AtomicBoolean armed = new AtomicBoolean();
  private volatile long waitingSince;
  private volatile boolean waiting;
  private volatile boolean closed;
  private volatile Scheduler.@Nullable Cancellable timer;

  // The task's: since when nothing has come but the word that nothing does; -1 if something has.
  private long vainSince = -1;

  /**
   * @param loop where the timer runs
   * @param arrivals gets a {@link Stall} when the deadline has passed
   */
  StallWatch(Scheduler loop, Clock clock, long deadlineNanos, ArrivalQueue arrivals) {
    this.loop = loop;
    this.clock = clock;
    this.deadlineNanos = deadlineNanos;
    this.arrivals = arrivals;
  }

  /** The task begins to wait. On its thread. */
  void waitBegins(long now) {
    if (vainSince < 0) {
      vainSince = now;
    }
    waitingSince = now;
    waiting = true;
    if (armed.compareAndSet(false, true)) {
      set(deadlineNanos);
    }
  }

  /**
   * The task has something to do. On its thread.
   *
   * @param inVain whether that is only to see why the wait has lasted so long
   */
  void waitEnds(boolean inVain) {
    if (!inVain) {
      vainSince = -1;
    }
    waiting = false;
  }

  /** Since when the task has waited in vain, which a wait that began then is part of. */
  long inVainSince(long from) {
    return vainSince < 0 ? from : Math.min(vainSince, from);
  }

  private void set(long nanos) {
    try {
      timer = loop.schedule(nanos, this::look);
    } catch (RejectedExecutionException ended) {
      // The client is closed, and every stream has been told.
      return;
    }
    if (closed) {
      cancel();
    }
  }

  /** On the event loop. */
  private void look() {
    if (closed) {
      return;
    }
    if (!waiting) {
      armed.set(false);
      if (!waiting || !armed.compareAndSet(false, true)) {
        return;
      }
    }
    long since = waitingSince;
    long now = clock.nanoTime();
    long left = since + deadlineNanos - now;
    if (left > 0) {
      set(left);
    } else {
      armed.set(false);
      arrivals.offer(new Stall(since, now));
    }
  }

  /** Ends the watch. */
  void close() {
    closed = true;
    cancel();
  }

  private void cancel() {
    Scheduler.Cancellable current = timer;
    if (current != null) {
      current.cancel();
    }
  }

  /** A wait has lasted from one time to another, and nothing came. */
  static final class Stall extends Arrival {
    private final long from;
    private final long to;

    Stall(long from, long to) {
      this.from = from;
      this.to = to;
    }

    @Override
    void deliver(FetchingBlockReader reader) {
      reader.stalled(from, to);
    }
  }
}
