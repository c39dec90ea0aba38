package io.sluice.common.time;

import io.sluice.common.lifecycle.OwnThreads;
import java.lang.Thread.UncaughtExceptionHandler;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A scheduler of one daemon thread, which starts with the first task. State that only its tasks
 * touch needs no lock.
 *
 * <p>A task that throws is reported and the thread goes on. After {@link #close} tasks are dropped,
 * because what they would have touched is going away with the scheduler.
 */
public final class ThreadScheduler implements Scheduler, AutoCloseable {
  private final Clock clock;
  private final ScheduledThreadPoolExecutor thread;
  private final UncaughtExceptionHandler failures;

  /**
   * @param name of the thread
   * @param failures told, on that thread, of everything a task throws
   */
  public ThreadScheduler(String name, Clock clock, UncaughtExceptionHandler failures) {
    this.clock = clock;
    this.failures = failures;
    this.thread = new ScheduledThreadPoolExecutor(1, task -> OwnThreads.daemon(name, task));
    thread.setRemoveOnCancelPolicy(true);
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  @Override
  public Clock clock() {
    return clock;
  }

  @Override
  public void execute(Runnable task) {
    try {
      thread.execute(guarded(task));
    } catch (RejectedExecutionException e) {
      // Closed: see the class comment.
    }
  }

  @Override
  public Cancellable schedule(long delayNanos, Runnable task) {
    try {
      Future<?> pending = thread.schedule(guarded(task), delayNanos, TimeUnit.NANOSECONDS);
      return () -> pending.cancel(false);
    } catch (RejectedExecutionException e) {
      return () -> {};
    }
  }

  private Runnable guarded(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (Throwable failure) {
        failures.uncaughtException(Thread.currentThread(), failure);
      }
    };
  }

  /** Lets the tasks that are due finish, drops the later ones, and does not wait. Idempotent. */
  @Override
  public void close() {
    thread.shutdown();
  }

  /**
   * After {@link #close}: waits for the last task.
   *
   * @return whether it ended in time
   */
  public boolean awaitEnd(long nanos) throws InterruptedException {
    return thread.awaitTermination(nanos, TimeUnit.NANOSECONDS);
  }
}
