package io.sluice.simulation.task;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that carries one task at a time. Control is passed by one volatile flag: whoever does
 * not have it is parked.
 */
final class Carrier {
  private final Thread thread;
  private volatile @Nullable Thread driver;
  private volatile boolean carrying;
  private volatile boolean ended;
  private @Nullable Runnable job;

  Carrier(String name) {
    thread = new Thread(this::carry, name);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Sets what the next {@link #resume} runs. */
  void load(Runnable task) {
    job = task;
  }

  /** Lets the task run until it yields or ends. */
  void resume() {
    driver = Thread.currentThread();
    carrying = true;
    LockSupport.unpark(thread);
    while (carrying) {
      LockSupport.park(this);
    }
  }

  /** Gives control back, until the next {@link #resume}. On the carrier's thread. */
  void giveWay() {
    giveBack();
    awaitTurn();
  }

  void end() {
    ended = true;
    LockSupport.unpark(thread);
  }

  private void giveBack() {
    Thread waiting = driver;
    carrying = false;
    LockSupport.unpark(waiting);
  }

  private void awaitTurn() {
    while (!carrying && !ended) {
      LockSupport.park(this);
    }
  }

  private void carry() {
    while (true) {
      awaitTurn();
      Runnable loaded = job;
      if (ended || loaded == null) {
        return;
      }
      job = null;
      loaded.run();
      giveBack();
    }
  }
}
