package io.sluice.simulation.time;

import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler.Cancellable;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Everything that is going to happen, in the order of virtual time; what is due at the same instant
 * comes in an order drawn from the seed. Time passes only between events, and only as far as the
 * next one.
 */
public final class EventQueue implements Clock {
  // An arbitrary date: milliseconds since 1970 at which every simulation begins.
  private static final long EPOCH_MILLIS = 1_700_000_000_000L;
  private static final int NANOS_PER_MILLI = 1_000_000;

  private final Dice dice;
  private final Trace trace;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          Comparator.<Event>comparingLong(event -> event.due)
              .thenComparingLong(event -> event.tie)
              .thenComparingLong(event -> event.number));
  private long now;
  private long scheduled;
  private long run;

  public EventQueue(Dice dice, Trace trace) {
    this.dice = dice;
    this.trace = trace;
  }

  @Override
  public long nanoTime() {
    return now;
  }

  @Override
  public long wallTimeMillis() {
    return EPOCH_MILLIS + now / NANOS_PER_MILLI;
  }

  /** Events run so far. */
  public long eventsRun() {
    return run;
  }

  public Trace trace() {
    return trace;
  }

  /**
   * Has something happen.
   *
   * @param delayNanos from now, at least 0
   * @param who and {@code what}: for the trace
   */
  public Cancellable after(long delayNanos, Object who, String what, Runnable action) {
    if (delayNanos < 0) {
      throw new IllegalArgumentException("delay of " + delayNanos + " ns");
    }
    Event event =
        new Event(now + delayNanos, dice.nextLong(), scheduled++, new Label(who, what), action);
    events.add(event);
    return () -> event.cancelled = true;
  }

  /** Runs the next event; false if there is none. */
  public boolean step() {
    Event event;
    do {
      event = events.poll();
      if (event == null) {
        return false;
      }
    } while (event.cancelled);
    now = event.due;
    run++;
    trace.event(now, event.label.who, event.label.what);
    event.action.run();
    return true;
  }

  private record Label(Object who, String what) {}

  private static final class Event {
    private final long due;
    private final long tie;
    private final long number;
    private final Label label;
    private final Runnable action;
    private boolean cancelled;

    Event(long due, long tie, long number, Label label, Runnable action) {
      this.due = due;
      this.tie = tie;
      this.number = number;
      this.label = label;
      this.action = action;
    }
  }
}
