package io.sluice.client;

/**
 * How a task's thread waits for event loops. A seam: real tasks park, a simulated task runs the
 * simulation's next events instead. One waiter; any number of signallers.
 */
public interface TaskSignal {
  /**
   * Waits for a {@link #signal} that came since the last return; may also return for no reason, so
   * callers check their condition in a loop. On the task's thread only.
   *
   * <p>An engine's own signal may throw what ends its tasks instead, undeclared: what waits then is
   * as after an interrupt, and good for nothing but to be closed.
   *
   * @throws InterruptedException if the thread was interrupted; its interrupt status is cleared
   */
  void await() throws InterruptedException;

  /** Ends a present or the next {@link #await}. Any thread; never blocks. */
  void signal();

  /** Makes signals, one for each map output and reader. Thread-safe. */
  interface Factory {
    /** A signal for the calling thread. */
    TaskSignal create();

    /** Signals whose waiters park. */
    static Factory parking() {
      return ThreadSignal::new;
    }
  }
}
