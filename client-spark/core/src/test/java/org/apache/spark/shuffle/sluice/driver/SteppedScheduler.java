package org.apache.spark.shuffle.sluice.driver;

import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** Runs tasks at once, or when the test lets time pass. Of one thread. */
final class SteppedScheduler implements Scheduler {
  // One for each moment is enough for the tests there are.
  private final TreeMap<Long, Runnable> later = new TreeMap<>();
  private long now;

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
    task.run();
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
