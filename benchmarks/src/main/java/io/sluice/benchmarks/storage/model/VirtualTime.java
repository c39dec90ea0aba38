package io.sluice.benchmarks.storage.model;

import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * Tasks in the order of their virtual time, and of their coming where that is the same. Tasks take
 * no time. Used by one thread at a time, the one that has control.
 */
final class VirtualTime implements Scheduler, Clock {
  private static final Comparator<Event> ORDER =
      Comparator.comparingLong(Event::at).thenComparingLong(Event::number);

  private final PriorityQueue<Event> events = new PriorityQueue<>(ORDER);
  private long now;
  private long made;

  private record Event(long at, long number, Runnable task) {}

  /** Runs a task when it is so late. */
  void at(long nanos, Runnable task) {
    events.add(new Event(nanos, made++, task));
  }

  /**
   * Lets time pass until a result is there.
   *
   * @throws IllegalStateException if nothing is left to happen before that
   */
  void runUntil(CompletableFuture<?> result) {
    runUntil(result::isDone);
  }

  /** As {@link #runUntil(CompletableFuture)}, until a condition holds. */
  void runUntil(BooleanSupplier holds) {
    while (!holds.getAsBoolean()) {
      Event next = events.poll();
      if (next == null) {
        throw new IllegalStateException("nothing happens any more, and something is awaited");
      }
      now = Math.max(now, next.at);
      next.task.run();
    }
  }

  @Override
  public void execute(Runnable task) {
    at(now, task);
  }

  @Override
  public Cancellable schedule(long delayNanos, Runnable task) {
    Event event = new Event(now + delayNanos, made++, task);
    events.add(event);
    return () -> events.remove(event);
  }

  @Override
  public Clock clock() {
    return this;
  }

  @Override
  public long nanoTime() {
    return now;
  }

  @Override
  public long wallTimeMillis() {
    return now / 1_000_000;
  }
}
