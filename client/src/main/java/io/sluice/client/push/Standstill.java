package io.sluice.client.push;

import io.sluice.client.PlacedServer;
import io.sluice.common.error.ErrorCode;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * For how long servers have had no room for a map output while nothing of it was acknowledged, and
 * which these are. An output that is sent from one full server to the next stands still as much as
 * one that waits for the same server. On the task's thread.
 */
final class Standstill {
  private final InFlight inFlight;
  private final long deadlineNanos;
  private final Map<PlacedServer, Refusal> refusals = new LinkedHashMap<>();
  private long since;

  /**
   * @param deadlineNanos after which the output fails
   */
  Standstill(InFlight inFlight, long deadlineNanos) {
    this.inFlight = inFlight;
    this.deadlineNanos = deadlineNanos;
  }

  /** A server had no room for blocks of the output. */
  void refused(PlacedServer server, ErrorCode why, long now) {
    if (inFlight.takeAcked() || refusals.isEmpty()) {
      refusals.clear();
      since = now;
    }
    refusals.put(server, new Refusal(why, now));
  }

  /** Whether it was too long at the latest refusal. */
  boolean isOver(long now) {
    return lasts(deadlineNanos, now);
  }

  /** Whether half of the time was over: the rest is for sets that do without who has no room. */
  boolean isLong(long now) {
    return lasts(deadlineNanos / 2, now);
  }

  private boolean lasts(long nanos, long now) {
    return !refusals.isEmpty() && now - since >= nanos;
  }

  /**
   * Who had no room in the last three quarters of the deadline: to be sent back there helps nobody.
   * The others may have some by now, and are worth another try before the deadline.
   */
  Map<PlacedServer, ErrorCode> lately(long now) {
    Map<PlacedServer, ErrorCode> lately = new LinkedHashMap<>();
    refusals.forEach(
        (server, refusal) -> {
          if (now - refusal.at < deadlineNanos / 4 * 3) {
            lately.put(server, refusal.why);
          }
        });
    return lately;
  }

  @Override
  public String toString() {
    return "nothing was acknowledged meanwhile, and no room had " + refusals.keySet();
  }

  private static final class Refusal {
    final ErrorCode why;
    final long at;

    Refusal(ErrorCode why, long at) {
      this.why = why;
      this.at = at;
    }
  }
}
