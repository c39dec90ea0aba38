package org.apache.spark.shuffle.sluice.driver;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;

/** In the place of the thread of Spark's scheduler: does what it is told at once, or later. */
final class StalledLoop implements Executor {
  private final Deque<Runnable> held = new ArrayDeque<>();
  private boolean stalled;

  /** It is busy from now on. */
  synchronized void stall() {
    stalled = true;
  }

  /** It does what it was told meanwhile, and is not busy any more. */
  synchronized void go() {
    stalled = false;
    Runnable task;
    while ((task = held.poll()) != null) {
      task.run();
    }
  }

  /** What it was told meanwhile. */
  synchronized int waiting() {
    return held.size();
  }

  @Override
  public synchronized void execute(Runnable task) {
    if (stalled) {
      held.add(task);
    } else {
      task.run();
    }
  }
}
