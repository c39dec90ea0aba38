package io.sluice.transport;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many connections a server process has, over all its transports: each has a seed of credit
 * waiting for it, and those are reserved once. Thread-safe.
 */
public final class ConnectionCount {
  private final int most;
  private final AtomicInteger now = new AtomicInteger();

  /**
   * @param most that are served at once
   */
  public ConnectionCount(int most) {
    this.most = most;
  }

  /** Counts one more; false if it is to be turned away, in which case it counts all the same. */
  public boolean add() {
    return now.incrementAndGet() <= most;
  }

  /** One is gone that was counted. */
  public void remove() {
    now.decrementAndGet();
  }

  /** Whether as many as are served wait for being turned away: no more are even told. */
  public boolean isFull() {
    return now.get() >= 2 * most;
  }

  public int most() {
    return most;
  }
}
