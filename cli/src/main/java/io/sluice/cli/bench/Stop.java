package io.sluice.cli.bench;

import org.jspecify.annotations.Nullable;

/** Who is interrupted when the run is to end before it has. Thread-safe. */
final class Stop {
  // Guarded by this.
  private @Nullable Thread worker;
  private boolean asked;

  /**
   * The calling thread works from here on.
   *
   * @throws InterruptedException if it need not begin
   */
  synchronized void begin() throws InterruptedException {
    if (asked) {
      throw new InterruptedException();
    }
    worker = Thread.currentThread();
  }

  /** Nobody interrupts the calling thread from here on: it puts things in order. */
  synchronized void leave() {
    worker = null;
    Thread.interrupted();
  }

  /** Ends the work, now or when it begins. */
  synchronized void ask() {
    asked = true;
    if (worker != null) {
      worker.interrupt();
    }
  }

  synchronized boolean isAsked() {
    return asked;
  }
}
