package io.sluice.client.control;

import java.util.concurrent.TimeUnit;

/**
 * Growing pauses: 100 ms, doubled up to a longest one. Whoever is waited for asks each second, so
 * that of the five seconds that a change of leader may cost a job it does not waste two; what
 * happens in the background asks every five, since without a leader all applications do it.
 *
 * <p>For one thread.
 */
public final class Backoff {
  private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final long longestNanos;
  private long nextNanos = FIRST_NANOS;

  private Backoff(long longestNanos) {
    this.longestNanos = longestNanos;
  }

  /** Up to a second: somebody waits. */
  public static Backoff eager() {
    return new Backoff(TimeUnit.SECONDS.toNanos(1));
  }

  /** Up to five seconds: nobody waits. */
  public static Backoff patient() {
    return new Backoff(TimeUnit.SECONDS.toNanos(5));
  }

  /** The pause to make now, in nanoseconds. */
  public long next() {
    long pause = nextNanos;
    nextNanos = Math.min(longestNanos, nextNanos * 2);
    return pause;
  }

  void reset() {
    nextNanos = FIRST_NANOS;
  }
}
