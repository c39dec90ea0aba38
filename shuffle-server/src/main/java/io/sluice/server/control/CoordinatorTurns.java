package io.sluice.server.control;

import io.sluice.common.config.HostPort;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Which coordinator is asked next, and how soon. Used by one thread at a time. */
final class CoordinatorTurns {
  static final long MIN_DELAY_MILLIS = 100;

  /** While nobody leads, 5,000 servers ask 5,000 times a second: what their reports cost, too. */
  static final long MAX_DELAY_MILLIS = 1_000;

  private final List<HostPort> coordinators;
  private int next;
  // Whether the coordinator that is asked is one that another named.
  private boolean named;
  private long delayMillis = MIN_DELAY_MILLIS;

  CoordinatorTurns(List<HostPort> coordinators) {
    this.coordinators = List.copyOf(coordinators);
  }

  /** The next of the list. */
  HostPort next() {
    HostPort target = coordinators.get(next);
    next = (next + 1) % coordinators.size();
    named = false;
    return target;
  }

  /** One that leads has answered. */
  void welcomed() {
    delayMillis = MIN_DELAY_MILLIS;
  }

  boolean slowest() {
    return delayMillis == MAX_DELAY_MILLIS;
  }

  /** In nanoseconds, each time twice as long. */
  long delay() {
    long delay = delayMillis;
    delayMillis = Math.min(MAX_DELAY_MILLIS, delay * 2);
    return TimeUnit.MILLISECONDS.toNanos(delay);
  }

  /** The same before one is asked that was named just now: the shortest, if not by another such. */
  long delayToNamed() {
    long delay = named ? delay() : TimeUnit.MILLISECONDS.toNanos(MIN_DELAY_MILLIS);
    named = true;
    return delay;
  }
}
