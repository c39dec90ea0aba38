package io.sluice.simulation.time;

import java.util.ArrayList;
import java.util.List;

/**
 * An operating system process: what it has scheduled dies with it. One life only; a restart is a
 * new process.
 */
public final class SimProcess {
  private final String name;
  private final EventQueue events;
  private final Dice dice;
  private final List<Runnable> onDeath = new ArrayList<>();
  private boolean alive = true;

  public SimProcess(String name, EventQueue events, Dice dice) {
    this.name = name;
    this.events = events;
    this.dice = dice;
  }

  public EventQueue events() {
    return events;
  }

  public boolean isAlive() {
    return alive;
  }

  /** An event loop (or any single thread that only runs tasks) of this process. */
  public SimLoop loop(String loopName) {
    return new SimLoop(this, name + "/" + loopName, dice.fork());
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
    events.trace().note(events.nanoTime(), this, "killed");
    for (int i = onDeath.size() - 1; i >= 0; i--) {
      onDeath.get(i).run();
    }
    onDeath.clear();
  }

  /**
   * Runs a step of this process, unless it is dead. A {@link ProcessKilled} from within is its
   * death.
   */
  public void run(Runnable step) {
    if (!alive) {
      return;
    }
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
}
