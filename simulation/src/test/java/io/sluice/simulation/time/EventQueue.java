package io.sluice.simulation.time;

import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler.Cancellable;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is going to happen, in the order of virtual time; what is due at the same instant
 * comes in an order drawn from the seed. Time passes only between events, and only as far as the
 * next one. This is the true time; what a process takes for the time is its {@link
 * SimProcess#clock}.
 */
public final class EventQueue implements Clock {
  // An arbitrary date: milliseconds since 1970 at which every simulation begins.
  private static final long EPOCH_MILLIS = 1_700_000_000_000L;
  private static final int NANOS_PER_MILLI = 1_000_000;

  private final Dice dice;
  private final Trace trace;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
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
    return add(delayNanos, who, what, action, null);
  }

  /** Has a process do something when its own clock says so, unless it is cancelled until then. */
  Cancellable timer(long delayNanos, SimProcess process, Object who, String what, Runnable action) {
    return add(delayNanos, who, what, action, process);
  }

  private Event add(
      long delayNanos, Object who, String what, Runnable action, @Nullable SimProcess timerOf) {
    if (delayNanos < 0) {
      throw new IllegalArgumentException("delay of " + delayNanos + " ns");
    }
    Event event =
        new Event(now + delayNanos, dice.nextLong(), scheduled++, who, what, action, timerOf);
    events.add(event);
    return event;
  }

  /** A process's clock has jumped forward: its timers are due so much earlier, or overdue. */
  void hasten(SimProcess process, long nanos) {
    List<Event> timers = new ArrayList<>();
    events.removeIf(event -> event.timerOf == process && timers.add(event));
    for (Event timer : timers) {
      timer.due = Math.max(now, timer.due - nanos);
      events.add(timer);
    }
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
    trace.event(now, event.who, event.what);
    event.run();
    return true;
  }

  private static final class Event implements Comparable<Event>, Cancellable, Runnable {
    private final long tie;
    private final long number;
    private final Object who;
    private final String what;
    private final Runnable action;
    private final @Nullable SimProcess timerOf;
    private long due;
    private boolean cancelled;

    Event(
        long due,
        long tie,
        long number,
        Object who,
        String what,
        Runnable action,
        @Nullable SimProcess timerOf) {
      this.due = due;
      this.tie = tie;
      this.number = number;
      this.who = who;
      this.what = what;
      this.action = action;
      this.timerOf = timerOf;
    }

    @Override
    public int compareTo(Event other) {
      int byDue = Long.compare(due, other.due);
      if (byDue != 0) {
        return byDue;
      }
      int byTie = Long.compare(tie, other.tie);
      return byTie != 0 ? byTie : Long.compare(number, other.number);
    }

    // Each is itself; equal by order only if they are one.
    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(number);
    }

    @Override
    public void cancel() {
      cancelled = true;
    }

    @Override
    public void run() {
      if (timerOf == null) {
        action.run();
      } else {
        // A frozen process may find later that it has cancelled this meanwhile.
        timerOf.run(this::runTimer);
      }
    }

    private void runTimer() {
      if (!cancelled) {
        action.run();
      }
    }
  }
}
