package io.sluice.benchmarks.storage.model;

import java.util.concurrent.Semaphore;

/**
 * A thread of the modelled disk. It has control between {@link #resume} and the moment it waits or
 * is idle; nobody else runs meanwhile.
 */
final class DiskThread {
  private final VirtualTime time;
  private final Semaphore control = new Semaphore(0);
  private final Semaphore back = new Semaphore(0);
  private final Thread thread;

  /**
   * @param body what it does for ever; it begins with the first {@link #resume}
   */
  DiskThread(VirtualTime time, String name, Runnable body) {
    this.time = time;
    this.thread =
        new Thread(
            () -> {
              control.acquireUninterruptibly();
              body.run();
            },
            name);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  boolean isCurrent() {
    return Thread.currentThread() == thread;
  }

  /** Gives it control until it gives it back. */
  void resume() {
    control.release();
    back.acquireUninterruptibly();
  }

  /** Gives control back until it is so late; on the thread itself. */
  void waitUntil(long nanos) {
    time.at(nanos, this::resume);
    idle();
  }

  /** Gives control back until somebody resumes it; on the thread itself. */
  void idle() {
    back.release();
    control.acquireUninterruptibly();
  }
}
