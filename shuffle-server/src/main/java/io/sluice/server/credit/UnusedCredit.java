package io.sluice.server.credit;

import java.util.concurrent.TimeUnit;

/**
 * Finds a client that sits on credit which others wait for: asked for it again and again, it has
 * neither used nor given back half of it. Who pushes, however slowly, uses up what it has; who has
 * nothing to push answers a RECLAIM in a round trip. On the connection's event loop.
 */
final class UnusedCredit {
  /** Questions further apart than that are about another shortage. */
  private static final long GAP_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final long patienceNanos;
  private boolean asked;
  private long askedNanos;
  private long sinceNanos;
  private long due;

  /**
   * @param patienceNanos for how long credit may lie idle while others wait for it
   */
  UnusedCredit(long patienceNanos) {
    this.patienceNanos = patienceNanos;
  }

  /**
   * The client is asked for credit because memory is short.
   *
   * @param spare bytes that it is asked for
   * @param moved bytes that it has used or given back since it came
   * @return whether it has been asked for too long
   */
  boolean isOverdue(long spare, long moved, long now) {
    boolean sameShortage = asked && now - askedNanos <= GAP_NANOS;
    asked = true;
    askedNanos = now;
    if (!sameShortage || moved >= due) {
      sinceNanos = now;
      due = moved + (spare + 1) / 2;
      return false;
    }
    return now - sinceNanos >= patienceNanos;
  }
}
