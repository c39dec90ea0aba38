package io.sluice.transport;

import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * How many connections a server process has, over all its transports: each that is served has a
 * seed of credit waiting for it, and those are reserved once. Those that are being turned away are
 * counted apart, so that a client that comes again and again takes no place that has become free. A
 * process that holds its ports before it is ready begins with a count that is shut. Thread-safe.
 *
 * <p>Newcomers, which have yet to be let in by what they say, are counted by address beside that:
 * one address has a quarter of the places for them, over all transports together. So one that opens
 * connections and says nothing takes no more. Those that were let in are not counted so.
 */
public final class ConnectionCount {
  private static final int NEWCOMERS_SHARE = 4;
  private static final int MIN_NEWCOMERS = 16;

  private final int most;
  private final Newcomers newcomers;
  private final AtomicInteger served = new AtomicInteger();
  private final AtomicInteger turnedAway = new AtomicInteger();
  private volatile boolean open;

  /**
   * @param most that are served at once
   */
  public ConnectionCount(int most) {
    this(most, true);
  }

  private ConnectionCount(int most, boolean open) {
    this.most = most;
    this.newcomers = new Newcomers(Math.max(MIN_NEWCOMERS, most / NEWCOMERS_SHARE));
    this.open = open;
  }

  /**
   * A count of which every place counts as taken until {@link #open}: who connects is turned away
   * without a word, and tries again as if nobody listened.
   */
  public static ConnectionCount shut(int most) {
    return new ConnectionCount(most, false);
  }

  /** From now on there are places. What was done before is seen by whoever takes one. */
  public void open() {
    open = true;
  }

  /**
   * Counts one more newcomer from an address; it takes no place by that.
   *
   * @return to be run when it has been let in or is gone, again is harmless; null if there are too
   *     many
   */
  public @Nullable Runnable newcomer(SocketAddress peer) {
    return newcomers.add(peer);
  }

  /** The most newcomers of one address. */
  public int mostNewcomers() {
    return newcomers.mostPerAddress();
  }

  /** Takes a place; false if there is none, and the connection is counted as turned away. */
  public boolean add() {
    int now = served.getAndUpdate(count -> count < most ? count + 1 : count);
    if (now < most) {
      return true;
    }
    turnedAway.incrementAndGet();
    return false;
  }

  /**
   * One is gone that was counted.
   *
   * @param hadPlace what {@link #add} said of it
   */
  public void remove(boolean hadPlace) {
    (hadPlace ? served : turnedAway).decrementAndGet();
  }

  /** Whether as many as are served are being turned away, or it is shut: no more are even told. */
  public boolean isFull() {
    return !open || turnedAway.get() >= most;
  }

  public int most() {
    return most;
  }
}
