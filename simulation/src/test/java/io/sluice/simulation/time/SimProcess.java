package io.sluice.simulation.time;

import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler.Cancellable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * An operating system process: what it has scheduled dies with it. One life only; a restart is a
 * new process.
 *
 * <p>Each has clocks of its own: a monotonic one with an arbitrary origin, which may jump forward,
 * and a wall clock, which may be set to anything. A frozen process runs nothing, its clocks go on,
 * and everything that came for it meanwhile is there at once when it thaws.
 */
public final class SimProcess {
  private final String name;
  private final EventQueue events;
  private final Dice dice;
  private final List<Runnable> onDeath = new ArrayList<>();
  private final ArrayDeque<Runnable> deferred = new ArrayDeque<>();
  private final OwnClock clock;
  private long steps;
  private boolean alive = true;
  private boolean frozen;

  public SimProcess(String name, EventQueue events, Dice dice) {
    this.name = name;
    this.events = events;
    this.dice = dice;
    // Monotonic clocks begin anywhere; far enough from where longs end.
    this.clock = new OwnClock(events, dice.nextLong() >> 2);
  }

  public EventQueue events() {
    return events;
  }

  /** What time it is, as far as this process knows. */
  public Clock clock() {
    return clock;
  }

  /** Steps run so far: as long as it is the same, nothing has changed in the process. */
  public long steps() {
    return steps;
  }

  public boolean isAlive() {
    return alive;
  }

  public boolean isFrozen() {
    return frozen;
  }

  /** An event loop (or any single thread that only runs tasks) of this process. */
  public SimLoop loop(String loopName) {
    return new SimLoop(this, name + "/" + loopName, dice.fork());
  }

  /** Has the process do something when its own clock says so. */
  public Cancellable schedule(long delayNanos, Object who, Runnable task) {
    return events.timer(delayNanos, this, who, "timer", task);
  }

  /** What the world does when this process dies; what was asked for last comes first. */
  public void onDeath(Runnable action) {
    onDeath.add(action);
  }

  /** kill -9: nothing of it runs any more. Harmless when dead. */
  public void kill() {
    if (!alive) {
      return;
    }
    alive = false;
    deferred.clear();
    events.trace().note(events.nanoTime(), this, "killed");
    for (int i = onDeath.size() - 1; i >= 0; i--) {
      onDeath.get(i).run();
    }
    onDeath.clear();
  }

  /** SIGSTOP, and SIGCONT after a while. Harmless when dead or frozen already. */
  public void freeze(long nanos) {
    if (alive && !frozen) {
      frozen = true;
      events.trace().note(events.nanoTime(), this, "frozen");
      events.after(nanos, this, "thaws", this::thaw);
    }
  }

  /** Goes on, with all that has come meanwhile. */
  public void thaw() {
    frozen = false;
    Runnable step;
    while (!frozen && (step = deferred.poll()) != null) {
      run(step);
    }
  }

  /** The monotonic clock, and the wall clock with it, jump forward. */
  public void jump(long nanos) {
    events.trace().note(events.nanoTime(), this, "the clock jumps");
    clock.ahead += nanos;
    events.hasten(this, nanos);
  }

  /** Somebody sets the wall clock, forward or back. */
  public void setWallClock(long aheadMillis) {
    events.trace().note(events.nanoTime(), this, "the wall clock is set");
    clock.wallAheadMillis = aheadMillis;
  }

  /**
   * Runs a step of this process, unless it is dead; if it is frozen, when it thaws. A {@link
   * ProcessKilled} from within is its death.
   */
  public void run(Runnable step) {
    if (!alive) {
      return;
    }
    if (frozen) {
      deferred.add(step);
      return;
    }
    steps++;
    try {
      step.run();
    } catch (ProcessKilled killed) {
      kill();
    }
  }

  @Override
  public String toString() {
    return name;
  }

  private static final class OwnClock implements Clock {
    private static final int NANOS_PER_MILLI = 1_000_000;

    private final EventQueue events;
    private final long origin;
    private long ahead;
    private long wallAheadMillis;

    OwnClock(EventQueue events, long origin) {
      this.events = events;
      this.origin = origin;
    }

    @Override
    public long nanoTime() {
      return origin + ahead + events.nanoTime();
    }

    @Override
    public long wallTimeMillis() {
      return events.wallTimeMillis() + ahead / NANOS_PER_MILLI + wallAheadMillis;
    }
  }
}
