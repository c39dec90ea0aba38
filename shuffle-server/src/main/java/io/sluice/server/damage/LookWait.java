package io.sluice.server.damage;

import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Somebody waits until a partition is looked through, or for long enough. Thread-safe. */
public final class LookWait {
  /**
   * How long a reader waits, at most: at 200 MB/s a spindle has read 800 MB by then, and a client
   * suspects a silent server after 5 s.
   */
  public static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(4);

  private final Clock clock;
  private final long began;
  private final Runnable wake;
  private final Consumer<LookWait> onLeave;
  // Guarded by this.
  private boolean over;
  private long waited;
  private Scheduler.@Nullable Cancellable deadline;

  LookWait(Clock clock, Runnable wake, Consumer<LookWait> onLeave) {
    this.clock = clock;
    this.began = clock.nanoTime();
    this.wake = wake;
    this.onLeave = onLeave;
  }

  /**
   * To be called once.
   *
   * @throws java.util.concurrent.RejectedExecutionException if the server ends: then it may wait
   *     without end
   */
  void endAfter(long nanos, Scheduler scheduler) {
    Scheduler.Cancellable set = scheduler.schedule(nanos, this::late);
    synchronized (this) {
      if (!over) {
        deadline = set;
        return;
      }
    }
    set.cancel();
  }

  private void late() {
    onLeave.accept(this);
    end();
  }

  void end() {
    if (finish()) {
      wake.run();
    }
  }

  private synchronized boolean finish() {
    if (over) {
      return false;
    }
    over = true;
    waited = clock.nanoTime() - began;
    if (deadline != null) {
      deadline.cancel();
    }
    return true;
  }

  /** Whether there is nothing more to wait for. */
  public synchronized boolean over() {
    return over;
  }

  /** How long it took, once over. */
  public synchronized long nanos() {
    return waited;
  }

  /** Nobody waits any more, nor is woken; again, or once over, is harmless. */
  public void close() {
    if (finish()) {
      onLeave.accept(this);
    }
  }
}
