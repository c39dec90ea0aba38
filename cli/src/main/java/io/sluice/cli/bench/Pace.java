package io.sluice.cli.bench;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * When blocks are sent alone: one after each hundred of the load, so that they come as long as it
 * lasts and are a hundredth of it. Writers of the load say how far it is; one thread waits.
 */
final class Pace {
  static final int BLOCKS_OF_LOAD = 100;

  private final AtomicLong written = new AtomicLong();
  private final Semaphore due = new Semaphore(0);
  private volatile boolean over;

  /** A block of the load is on its way. */
  void written() {
    if (written.incrementAndGet() % BLOCKS_OF_LOAD == 0) {
      due.release();
    }
  }

  /** The load is written. */
  void end() {
    over = true;
    due.release();
  }

  /**
   * Waits until one more is due.
   *
   * @return whether one is; once the load is written, none is any more
   */
  boolean next() throws InterruptedException {
    due.acquire();
    return !over;
  }
}
