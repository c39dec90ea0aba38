package io.sluice.client.control;

import java.util.concurrent.TimeUnit;

/** Growing pauses: 100 ms, doubled up to 5 s. */
final class Backoff {
  private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(5);

  private long nextNanos = FIRST_NANOS;

  long next() {
    long pause = nextNanos;
    nextNanos = Math.min(LONGEST_NANOS, nextNanos * 2);
    return pause;
  }

  void reset() {
    nextNanos = FIRST_NANOS;
  }
}
