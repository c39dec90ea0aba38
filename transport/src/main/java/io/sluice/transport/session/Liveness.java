package io.sluice.transport.session;

import io.sluice.transport.ConnectionTimeouts;

/**
 * Decides, from what a connection has shown between ticks, whether its peer is to be asked for a
 * sign of life or given up. Reads no clock on the data path: reads only set a flag, ticks carry the
 * time.
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
  private long pingSent;
  private long frameSeen = -1;
  private long frameSince;
  private boolean closing;
  private long closingSince;

  Liveness(ConnectionTimeouts timeouts) {
    this.timeouts = timeouts;
  }

  void start(long now) {
    started = now;
    lastHeard = now;
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
      return Verdict.FINE;
    }
    return handshakeDone ? silence(now) : Verdict.FINE;
  }

  private Verdict silence(long now) {
    if (pinged) {
      return now - pingSent >= timeouts.answerNanos() ? Verdict.SILENT : Verdict.FINE;
    }
    if (now - lastHeard < timeouts.idleNanos()) {
      return Verdict.FINE;
    }
    pinged = true;
    pingSent = now;
    return Verdict.PING;
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
