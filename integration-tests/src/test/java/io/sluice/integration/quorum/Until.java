package io.sluice.integration.quorum;

import io.sluice.common.time.Clock;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for what other processes do, which tell nobody: asks again until it is so. */
public final class Until {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final long PAUSE_NANOS = Duration.ofMillis(20).toNanos();

  private Until() {}

  /**
   * Waits until it is so, a minute at most.
   *
   * @param what it is, for whoever waits in vain
   * @return when that was seen, in nanoseconds of the system's clock
   */
  public static long holds(String what, Callable<Boolean> condition) throws Exception {
    long deadline = now() + DEADLINE.toNanos();
    while (!condition.call()) {
      if (now() > deadline) {
        throw new AssertionError("not within " + DEADLINE + ": " + what);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return now();
  }

  /** The system's clock, in nanoseconds. */
  public static long now() {
    return Clock.system().nanoTime();
  }
}
