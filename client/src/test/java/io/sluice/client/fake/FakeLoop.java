package io.sluice.client.fake;

import io.sluice.client.TaskSignal;
import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;

/** An event loop with virtual time, driven by whoever waits. */
public final class FakeLoop implements Scheduler {
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          Comparator.comparingLong((Event e) -> e.time).thenComparingLong(e -> e.order));
  private long now;
  private long order;
  private boolean ended;

  @Override
  public void execute(Runnable task) {
    schedule(0, task);
  }

  @Override
  public Cancellable schedule(long delayNanos, Runnable task) {
    if (ended) {
      throw new RejectedExecutionException("the loop has ended");
    }
    Event event = new Event(now + delayNanos, order++, task);
    events.add(event);
    return () -> events.remove(event);
  }

  /** Runs the next event; false if there is none. */
  public boolean runNext() {
    Event event = events.poll();
    if (event == null) {
      return false;
    }
    now = Math.max(now, event.time);
    event.task.run();
    return true;
  }

  /** Runs events until a condition holds. */
  public void runUntil(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      if (!runNext()) {
        throw new AssertionError("stalled: nothing more will happen");
      }
    }
  }

  /** Runs events for a stretch of virtual time. */
  public void runFor(long nanos) {
    long end = now + nanos;
    Event event;
    while ((event = events.peek()) != null && event.time <= end) {
      runNext();
    }
    now = end;
  }

  /** Stands still, as a process does that gets no time: what was due meanwhile comes late. */
  public void stall(long nanos) {
    now += nanos;
  }

  public long now() {
    return now;
  }

  /** Runs what was given, then refuses more, like the loops of a closed connector. */
  void end() {
    long until = now;
    Event event;
    while ((event = events.peek()) != null && event.time <= until) {
      runNext();
    }
    events.clear();
    ended = true;
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
        return now / 1_000_000;
      }
    };
  }

  /** A signal whose waiter drives this loop. */
  public TaskSignal newSignal() {
    return new TaskSignal() {
      private boolean signalled;

      @Override
      public void await() throws InterruptedException {
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        runUntil(() -> signalled);
        signalled = false;
      }

      @Override
      public void signal() {
        signalled = true;
      }
    };
  }

  private record Event(long time, long order, Runnable task) {}
}
