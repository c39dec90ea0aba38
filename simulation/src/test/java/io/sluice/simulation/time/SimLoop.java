package io.sluice.simulation.time;

import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A thread of a process that runs tasks one after another: an event loop, a control thread. Tasks
 * given to {@link #execute} keep their order, as they would on any such thread; when each of them
 * runs is drawn from the seed.
 */
public final class SimLoop implements Scheduler {
  /** A loop that is slow now and then: up to so long between a task's arrival and its run. */
  private static final long LONGEST_STEP_NANOS = 200_000;

  private final SimProcess process;
  private final EventQueue events;
  private final String name;
  private final Dice dice;
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private boolean pumping;
  private boolean running;
  private @Nullable Runnable onStop;
  private boolean stopped;

  SimLoop(SimProcess process, String name, Dice dice) {
    this.process = process;
    this.events = process.events();
    this.name = name;
    this.dice = dice;
  }

  public SimProcess process() {
    return process;
  }

  @Override
  public Clock clock() {
    return process.clock();
  }

  @Override
  public void execute(Runnable task) {
    if (stopped) {
      throw new RejectedExecutionException(name + " has ended");
    }
    tasks.add(task);
    pump();
  }

  private void pump() {
    if (!pumping && !tasks.isEmpty() && process.isAlive()) {
      pumping = true;
      events.after(dice.skewed(1, LONGEST_STEP_NANOS), this, "task", this::runNext);
    }
  }

  private void runNext() {
    pumping = false;
    Runnable task = tasks.poll();
    if (task != null) {
      // The next one is due before this one runs: a task that throws does not stop the loop.
      pump();
      running = true;
      process.run(task);
      running = false;
    }
    endIfIdle();
  }

  private void endIfIdle() {
    Runnable ending = onStop;
    if (ending != null && tasks.isEmpty() && !running) {
      onStop = null;
      stopped = true;
      process.run(ending);
    }
  }

  @Override
  public Cancellable schedule(long delayNanos, Runnable task) {
    return events.timer(delayNanos, process, this, "timer", () -> runTimer(task));
  }

  private void runTimer(Runnable task) {
    if (!stopped) {
      running = true;
      task.run();
      running = false;
      endIfIdle();
    }
  }

  /**
   * Ends when it has nothing left to run, and takes no more tasks then.
   *
   * @param atEnd the last thing it does
   */
  public void stop(Runnable atEnd) {
    if (!stopped) {
      onStop = atEnd;
      endIfIdle();
    }
  }

  /** Whether it has ended. */
  public boolean isStopped() {
    return stopped;
  }

  @Override
  public String toString() {
    return name;
  }
}
