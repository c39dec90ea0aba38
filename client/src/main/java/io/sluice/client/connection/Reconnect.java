package io.sluice.client.connection;

import java.time.Duration;

/**
 * When to try a connection again: at once, then after 50 ms, doubled up to 2 s, until a deadline
 * counted from the first failure since anything last went well. On the event loop only.
 */
final class Reconnect {
  private static final long FIRST_DELAY_NANOS = Duration.ofMillis(50).toNanos();
  private static final long LONGEST_DELAY_NANOS = Duration.ofSeconds(2).toNanos();

  private final long deadlineNanos;
  private boolean failing;
  private long failingSince;
  private long nextDelayNanos;
  private int failures;

  Reconnect(Duration deadline) {
    this.deadlineNanos = deadline.toNanos();
  }

  /** Something came through, or nobody wants the connection any more. */
  void reset() {
    failing = false;
    failures = 0;
    nextDelayNanos = 0;
  }

  /**
   * Counts a failure.
   *
   * @return nanoseconds to wait before the next attempt, or -1 if there must be none
   */
  long failed(long now) {
    if (!failing) {
      failing = true;
      failingSince = now;
    }
    if (now - failingSince >= deadlineNanos) {
      reset();
      return -1;
    }
    failures++;
    // The last attempt is made at the deadline and not after it.
    long delay = Math.min(nextDelayNanos, failingSince + deadlineNanos - now);
    nextDelayNanos = Math.min(LONGEST_DELAY_NANOS, Math.max(FIRST_DELAY_NANOS, nextDelayNanos * 2));
    return delay;
  }

  /** Whether it failed more than once: what can go elsewhere need not wait. */
  boolean failedAgain() {
    return failures > 1;
  }
}
