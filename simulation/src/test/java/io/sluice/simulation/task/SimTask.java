package io.sluice.simulation.task;

import io.sluice.common.time.Scheduler.Cancellable;
import io.sluice.simulation.time.Dice;
import io.sluice.simulation.time.EventQueue;
import io.sluice.simulation.time.SimProcess;
import org.jspecify.annotations.Nullable;

/**
 * A thread of an engine's task, as the simulation sees it. Its own code runs between {@link
 * #resume} and the next wait; everything else is called while it waits.
 */
public final class SimTask {
  /** The longest that a thread made runnable waits for its turn. */
  private static final long LONGEST_WAKE_NANOS = 100_000;

  private final String name;
  private final SimProcess process;
  private final EventQueue events;
  private final Dice dice;
  private final Carrier carrier;
  private final SimTasks owner;
  // What will resume the task; null while it runs, and while only a signal can.
  private @Nullable Cancellable wake;
  // Counts them: one that a frozen process finds later may have been replaced.
  private int wakes;
  private boolean awaitsSignal;
  private boolean interrupted;
  private boolean cut;
  private boolean done;
  private @Nullable Throwable failure;

  SimTask(String name, SimTasks owner, SimProcess process, Dice dice, Carrier carrier) {
    this.name = name;
    this.owner = owner;
    this.process = process;
    this.events = process.events();
    this.dice = dice;
    this.carrier = carrier;
  }

  /** Lets the body begin after a random while. */
  void begin(Body body) {
    carrier.load(() -> run(body));
    resumeSoon();
  }

  private void run(Body body) {
    if (!cut) {
      try {
        body.run(this);
      } catch (SimulationCut expected) {
        failure = null;
      } catch (Throwable thrown) {
        failure = thrown;
      }
    }
    done = true;
  }

  private void resumeSoon() {
    wakeAfter(dice.skewed(1, LONGEST_WAKE_NANOS), "runs");
  }

  private void wakeAfter(long nanos, String what) {
    int number = ++wakes;
    wake = events.after(nanos, this, what, () -> process.run(() -> resume(number)));
  }

  private void resume(int number) {
    if (number != wakes || done) {
      return;
    }
    wake = null;
    awaitsSignal = false;
    owner.current(this);
    carrier.resume();
    owner.current(null);
    if (done) {
      owner.ended(this);
    }
  }

  // ------------------------------------------------------------------------ the task's own thread

  /** Does nothing for a while, in which everything else goes on. */
  public void pause(long nanos) throws InterruptedException {
    checkInterrupt();
    wakeAfter(nanos, "goes on");
    waitForTurn();
  }

  /** Waits until {@link #signalled}. */
  void awaitSignal() throws InterruptedException {
    checkInterrupt();
    awaitsSignal = true;
    waitForTurn();
  }

  private void waitForTurn() throws InterruptedException {
    carrier.giveWay();
    if (cut) {
      throw new SimulationCut();
    }
    checkInterrupt();
  }

  private void checkInterrupt() throws InterruptedException {
    if (interrupted) {
      interrupted = false;
      throw new InterruptedException(name);
    }
  }

  // ----------------------------------------------------------------------------- everybody else

  /** Makes the task runnable if it waits for a signal. */
  void signalled() {
    if (awaitsSignal && wake == null) {
      resumeSoon();
    }
  }

  /** What an engine does to kill a task: the wait it is in, or the next one, ends. */
  public void interrupt() {
    interrupted = true;
    if (wake != null) {
      wake.cancel();
      wake = null;
      resumeSoon();
    } else if (awaitsSignal) {
      resumeSoon();
    }
  }

  /** Unwinds the thread of a task that nobody will resume any more. */
  void cut() {
    if (!done) {
      cut = true;
      carrier.resume();
    }
  }

  public boolean isDone() {
    return done;
  }

  /** Whether only a signal can make it go on. */
  public boolean isWaiting() {
    return awaitsSignal && wake == null && !done;
  }

  /** What the body threw, or null. */
  public @Nullable Throwable failure() {
    return failure;
  }

  Carrier carrier() {
    return carrier;
  }

  @Override
  public String toString() {
    return name;
  }

  /** What a task does. */
  @FunctionalInterface
  public interface Body {
    void run(SimTask task) throws Exception;
  }

  /** Ends a task's thread without its body taking it for a failure that it could handle. */
  private static final class SimulationCut extends Error {
    private static final long serialVersionUID = 1;

    SimulationCut() {
      super("the simulation is over", null, false, false);
    }
  }
}
