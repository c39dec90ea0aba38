package io.sluice.simulation.task;

import java.util.ArrayDeque;

/** Threads for tasks, kept from one simulation to the next. Used by one driving thread. */
public final class TaskThreads implements AutoCloseable {
  private final ArrayDeque<Carrier> idle = new ArrayDeque<>();
  private int made;

  Carrier take() {
    Carrier carrier = idle.poll();
    if (carrier == null) {
      carrier = new Carrier("task-" + made++);
      carrier.start();
    }
    return carrier;
  }

  void giveBack(Carrier carrier) {
    idle.push(carrier);
  }

  /** Ends the threads; every task must have ended. */
  @Override
  public void close() {
    idle.forEach(Carrier::end);
    idle.clear();
  }
}
