package io.sluice.coordinator.grpc;

import io.sluice.common.time.Scheduler;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs tasks on a scheduler some milliseconds later, all that came meanwhile in one go and in the
 * order in which they came. For thousands of small tasks a second that are in no hurry: to wake a
 * thread for each of them costs more than the tasks do. Thread-safe.
 *
 * <p>A task that throws is reported by the scheduler as if it had been given to it, and the others
 * run. Tasks that come after the scheduler was closed are dropped, as it does itself.
 */
final class GatheringExecutor implements Executor {
  /**
   * 5,000 servers that report every second and 10,000 applications every ten send 6,000 messages a
   * second, of which 30 share a wake-up. No longer, since drivers wait for the answers to
   * heartbeats.
   */
  static final long DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** Tasks in a row before the scheduler's own have a turn. */
  static final int ROUND = 256;

  private final Scheduler scheduler;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  // Whether a run is to come or going on, which takes whatever is there. Cleared before tasks are
  // looked for a last time: none is left behind.
  private final AtomicBoolean due = new AtomicBoolean();

  GatheringExecutor(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
    if (!due.get() && due.compareAndSet(false, true)) {
      scheduler.schedule(DELAY_NANOS, this::run);
    }
  }

  private void run() {
    try {
      for (int i = 0; i < ROUND; i++) {
        Runnable task = tasks.poll();
        if (task == null) {
          return;
        }
        task.run();
      }
    } finally {
      rest();
    }
  }

  private void rest() {
    if (!tasks.isEmpty()) {
      // Behind a full round, or behind one that failed.
      scheduler.execute(this::run);
      return;
    }
    due.set(false);
    if (!tasks.isEmpty() && due.compareAndSet(false, true)) {
      scheduler.schedule(DELAY_NANOS, this::run);
    }
  }
}
