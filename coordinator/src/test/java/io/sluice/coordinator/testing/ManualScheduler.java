package io.sluice.coordinator.testing;

import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/** Time that passes when the test says so. Tasks run in the order in which they are due. */
public final class ManualScheduler implements Scheduler, Clock {
  private final Deque<Runnable> now = new ArrayDeque<>();
  private final PriorityQueue<Timer> later =
      new PriorityQueue<>(
          Comparator.comparingLong((Timer timer) -> timer.due)
              .thenComparing(timer -> timer.number));
  // Not 0, so that code which takes 0 for "never" is found out.
  private long nanos = 1_000_000_000_000L;
  private long timers;

  private static final class Timer {
    private final long due;
    private final long number;
    private final Runnable task;

    Timer(long due, long number, Runnable task) {
      this.due = due;
      this.number = number;
      this.task = task;
    }
  }

  @Override
  public Clock clock() {
    return this;
  }

  @Override
  public long nanoTime() {
    return nanos;
  }

  @Override
  public long wallTimeMillis() {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }

  @Override
  public void execute(Runnable task) {
    now.add(task);
  }

  @Override
  public Cancellable schedule(long delayNanos, Runnable task) {
    Timer timer = new Timer(nanos + delayNanos, timers++, task);
    later.add(timer);
    return () -> later.remove(timer);
  }

  /** Runs what was handed over. */
  public void runTasks() {
    for (Runnable task = now.poll(); task != null; task = now.poll()) {
      task.run();
    }
  }

  /** Lets time pass, running each timer when it is due. */
  public void advance(long amount, TimeUnit unit) {
    long end = nanos + unit.toNanos(amount);
    runTasks();
    for (Timer timer = later.peek(); timer != null && timer.due <= end; timer = later.peek()) {
      later.remove(timer);
      nanos = Math.max(nanos, timer.due);
      timer.task.run();
      runTasks();
    }
    nanos = end;
  }

  /** Lets time pass without running anything, as a process does that is stopped. */
  public void stall(long amount, TimeUnit unit) {
    nanos += unit.toNanos(amount);
  }

  /** Timers that are set. */
  public int pending() {
    return later.size();
  }
}
