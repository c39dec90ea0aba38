package io.sluice.common.time;

import java.util.concurrent.Executor;

/**
 * Runs short tasks now or later. Real ones are backed by a thread or an event loop, simulated ones
 * by a seeded queue. Tasks never block.
 */
public interface Scheduler extends Executor {
  Clock clock();

  /**
   * Runs a task once after a delay.
   *
   * @param delayNanos at least 0
   * @return a handle that prevents the run if it has not begun; cancelling twice is harmless
   */
  Cancellable schedule(long delayNanos, Runnable task);

  /** A pending run. */
  interface Cancellable {
    void cancel();
  }
}
