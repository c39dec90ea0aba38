package io.sluice.transport.session;

import io.sluice.transport.ConnectionTimeouts;

/**
 * Decides, from what a connection has shown between ticks, whether its peer is to be asked for a
 * sign of life or given up. Reads no clock on the data path: reads only set a flag, ticks carry the
 * time.
 *
 * <p>A side that hears a lot and has nothing to say pings too, once in an idle time: its peer's own
 * PING may wait behind megabytes of data in a slow network, and its answer would come too late.
 */
final class Liveness {
  enum Verdict {
    FINE,
    PING,
    SILENT,
    HANDSHAKE_LATE,
    FRAME_LATE
  }

  private final ConnectionTimeouts timeouts;
  private long started;
  private boolean heard;
  private long lastHeard;
  private boolean pinged;
  private long lastPing;
  private long frameSeen = -1;
  private long frameSince;
  private boolean stalled;
  private long stalledAt;
  private long stalledSince;
  private boolean closing;
  private long closingSince;

  Liveness(ConnectionTimeouts timeouts) {
    this.timeouts = timeouts;
  }

  void start(long now) {
    started = now;
    lastHeard = now;
    lastPing = now;
  }

  /** Bytes have arrived. */
  void heard() {
    heard = true;
  }

  /** What to do about an open connection or one in its handshake. */
  Verdict check(long now, boolean handshakeDone, boolean midFrame, long framesEnded) {
    if (!handshakeDone && now - started >= timeouts.handshakeNanos()) {
      return Verdict.HANDSHAKE_LATE;
    }
    if (midFrame && framesEnded == frameSeen) {
      if (now - frameSince >= timeouts.frameNanos()) {
        return Verdict.FRAME_LATE;
      }
    } else {
      frameSeen = midFrame ? framesEnded : -1;
      frameSince = now;
    }
    if (heard) {
      heard = false;
      pinged = false;
      lastHeard = now;
      return handshakeDone && now - lastPing >= timeouts.idleNanos() ? ping(now) : Verdict.FINE;
    }
    return handshakeDone ? silence(now) : Verdict.FINE;
  }

  private Verdict ping(long now) {
    lastPing = now;
    return Verdict.PING;
  }

  private Verdict silence(long now) {
    if (pinged) {
      return now - lastPing >= timeouts.answerNanos() ? Verdict.SILENT : Verdict.FINE;
    }
    if (now - lastHeard < timeouts.idleNanos()) {
      return Verdict.FINE;
    }
    pinged = true;
    return ping(now);
  }

  /**
   * Whether the peer has taken nothing for too long, although something waits for it. It may say
   * that it lives all the time: what waits holds memory.
   *
   * @param pending bytes that wait
   * @param progress as {@link Output#progress}
   */
  boolean takesNothing(long now, long pending, long progress) {
    if (pending == 0) {
      stalled = false;
    } else if (!stalled || progress != stalledAt) {
      stalled = true;
      stalledAt = progress;
      stalledSince = now;
    }
    return stalled && now - stalledSince >= timeouts.takeNanos();
  }

  /** Whether a connection that has been told to end takes too long; counts from the first call. */
  boolean closingTooLong(long now) {
    if (!closing) {
      closing = true;
      closingSince = now;
    }
    return now - closingSince >= timeouts.closeNanos();
  }
}
