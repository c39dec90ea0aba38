package io.sluice.client.connection;

import io.sluice.client.placement.Prospect;
import java.time.Duration;

/**
 * When to try a connection again: at once, then after 50 ms, doubled up to 2 s, until a deadline
 * counted from the first failure since anything last went well. On the event loop only, but for
 * {@link #isAwaited}.
 *
 * <p>The deadline begins anew whenever somebody knows that the server comes back. So one that has
 * come back as far as coordinators know may take as long again to be reached. It does so too when
 * the server refuses a connection for want of room, which it can only do alive; but for how long it
 * may do that there is a deadline of its own, from the first such refusal on.
 */
final class Reconnect {
  private static final long FIRST_DELAY_NANOS = Duration.ofMillis(50).toNanos();
  static final long LONGEST_DELAY_NANOS = Duration.ofSeconds(2).toNanos();

  /**
   * How long the first attempt that fails is followed by none, for somebody to say meanwhile where
   * the server is: where it was there may be no machine any more, and an attempt take its timeout.
   */
  static final long LOOK_UP_NANOS = FIRST_DELAY_NANOS;

  private final long deadlineNanos;
  private final long refusedDeadlineNanos;
  private boolean failing;
  private long failingSince;
  private boolean refused;
  private long refusedSince;
  private long nextDelayNanos;
  private int failures;
  private boolean lookedUp;
  private volatile boolean awaited;

  /**
   * @param deadline for a server that cannot be reached
   * @param refusedDeadline for one that has no room
   */
  Reconnect(Duration deadline, Duration refusedDeadline) {
    this.deadlineNanos = deadline.toNanos();
    this.refusedDeadlineNanos = refusedDeadline.toNanos();
  }

  /** Nobody wants the connection any more, or it was given up. */
  void reset() {
    worked();
    awaited = false;
  }

  /** Something came through. */
  void worked() {
    failing = false;
    refused = false;
    failures = 0;
    lookedUp = false;
    nextDelayNanos = 0;
  }

  /** There is a link. */
  void connected() {
    awaited = false;
  }

  /** The server says that it is about to stop. */
  void leaving() {
    awaited = true;
  }

  /**
   * Whether the server may be waited for longer than others, and has to be asked about at each
   * failure. Any thread.
   */
  boolean isAwaited() {
    return awaited;
  }

  /**
   * Counts a failure.
   *
   * @return nanoseconds to wait before the next attempt, or -1 if the deadline is over
   */
  long failed(long now, Setback setback) {
    boolean noRoom = setback == Setback.NO_ROOM;
    if (noRoom && !refused) {
      refused = true;
      refusedSince = now;
      awaited = true;
    }
    if (noRoom || !failing) {
      failing = true;
      failingSince = now;
    }
    long left =
        noRoom ? refusedSince + refusedDeadlineNanos - now : failingSince + deadlineNanos - now;
    if (left <= 0) {
      return -1;
    }
    failures++;
    // The last attempt is made at the deadline and not after it.
    long delay = Math.min(nextDelayNanos, left);
    nextDelayNanos = Math.min(LONGEST_DELAY_NANOS, Math.max(FIRST_DELAY_NANOS, nextDelayNanos * 2));
    return delay;
  }

  /**
   * Somebody was asked about the server after a failure.
   *
   * @param delay what that failure was answered with
   * @return the same, for now
   */
  long answered(Prospect prospect, long now, long delay) {
    switch (prospect) {
      case LOST:
        return -1;
      case RETURNS:
        awaited = true;
        failing = true;
        refused = false;
        failingSince = now;
        return delay < 0 ? failed(now, Setback.ATTEMPT_FAILED) : delay;
      case UNKNOWN:
        return delay;
    }
    throw new AssertionError(prospect);
  }

  /** Somebody has said that the server is at another address: when to try that. */
  long elsewhere(long now) {
    failing = true;
    refused = false;
    failingSince = now;
    nextDelayNanos = FIRST_DELAY_NANOS;
    return 0;
  }

  /** True once since anything went well. */
  boolean mayLookUp() {
    boolean may = !lookedUp;
    lookedUp = true;
    return may;
  }

  /** Whether it failed more than once: what can go elsewhere need not wait. */
  boolean failedAgain() {
    return failures > 1;
  }
}
