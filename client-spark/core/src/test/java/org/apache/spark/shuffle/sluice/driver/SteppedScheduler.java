package org.apache.spark.shuffle.sluice.driver;

import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;

/** Runs tasks at once, or when the test lets time pass. Of one thread. */
final class SteppedScheduler implements Scheduler {
  // One for each moment is enough for the tests there are.
  private final TreeMap<Long, Runnable> later = new TreeMap<>();
  private final Deque<Runnable> held = new ArrayDeque<>();
  private boolean holds;
  private long now;

  /** Runs what these calls have it run only when they are over, in order. */
  void together(Runnable calls) {
    holds = true;
    calls.run();
    holds = false;
    Runnable task;
    while ((task = held.poll()) != null) {
      task.run();
    }
  }

  /** Lets time pass, and runs what is due meanwhile. */
  void pass(Duration time) {
    long end = now + time.toNanos();
    Map.Entry<Long, Runnable> next;
    while ((next = later.firstEntry()) != null && next.getKey() <= end) {
      later.remove(next.getKey());
      now = next.getKey();
      next.getValue().run();
    }
    now = end;
  }

  /** Tasks that wait for their time. */
  int waiting() {
    return later.size();
  }

  @Override
  public Clock clock() {
    return new Clock() {
      @Override
      public long nanoTime() {
        return now;
      }

      @Override
      public long wallTimeMillis() {
        return 0;
      }
    };
  }

  @Override
  public void execute(Runnable task) {
    if (holds) {
      held.add(task);
    } else {
      task.run();
    }
  }

  @Override
  public Cancellable schedule(long delayNanos, Runnable task) {
    long at = now + delayNanos;
    if (later.putIfAbsent(at, task) != null) {
      throw new IllegalStateException("two tasks at " + at);
    }
    return () -> later.remove(at, task);
  }
}
