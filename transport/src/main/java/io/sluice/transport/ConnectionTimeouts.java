package io.sluice.transport;

import java.util.concurrent.TimeUnit;

/** How long a connection waits for what, in nanoseconds. Immutable. */
public final class ConnectionTimeouts {
  private final long handshakeNanos;
  private final long idleNanos;
  private final long answerNanos;
  private final long frameNanos;
  private final long closeNanos;

  /**
   * @param handshakeNanos from the connection's start to WELCOME
   * @param idleNanos of silence before a PING
   * @param answerNanos from a PING to any byte of the peer
   * @param frameNanos from the first to the last byte of a frame
   * @param closeNanos from the decision to close to the end of the connection
   */
  public ConnectionTimeouts(
      long handshakeNanos, long idleNanos, long answerNanos, long frameNanos, long closeNanos) {
    if (handshakeNanos <= 0
        || idleNanos <= 0
        || answerNanos <= 0
        || frameNanos <= 0
        || closeNanos <= 0) {
      throw new IllegalArgumentException("timeouts must be positive");
    }
    this.handshakeNanos = handshakeNanos;
    this.idleNanos = idleNanos;
    this.answerNanos = answerNanos;
    this.frameNanos = frameNanos;
    this.closeNanos = closeNanos;
  }

  /** 10 s handshake, 5 s idle, 15 s answer, 60 s frame, 5 s close. */
  public static ConnectionTimeouts defaults() {
    return new ConnectionTimeouts(
        TimeUnit.SECONDS.toNanos(10),
        TimeUnit.SECONDS.toNanos(5),
        TimeUnit.SECONDS.toNanos(15),
        TimeUnit.SECONDS.toNanos(60),
        TimeUnit.SECONDS.toNanos(5));
  }

  public long handshakeNanos() {
    return handshakeNanos;
  }

  /**
   * How long a connection waits in line until it may begin. A fifth of a handshake's time: peers
   * count the time in line as their handshake's, and those that are less patient than the server
   * are told too that it is full, before they take it for dead.
   */
  public long lineNanos() {
    return Math.max(1, handshakeNanos / 5);
  }

  public long idleNanos() {
    return idleNanos;
  }

  public long answerNanos() {
    return answerNanos;
  }

  public long frameNanos() {
    return frameNanos;
  }

  public long closeNanos() {
    return closeNanos;
  }

  /** How long a peer may take nothing of what waits for it: as long as it may say nothing. */
  public long takeNanos() {
    return idleNanos + answerNanos;
  }

  /** How often the deadlines are to be looked at: a quarter of the shortest. */
  public long tickNanos() {
    long shortest =
        Math.min(
            Math.min(handshakeNanos, idleNanos),
            Math.min(answerNanos, Math.min(frameNanos, closeNanos)));
    return Math.max(1, shortest / 4);
  }
}
