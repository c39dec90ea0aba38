package io.sluice.transport;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many connections a server process has, over all its transports: each that is served has a
 * seed of credit waiting for it, and those are reserved once. Those that are being turned away are
 * counted apart, so that a client that comes again and again takes no place that has become free. A
 * process that holds its ports before it is ready begins with a count that is shut. Thread-safe.
 *
 * <p><em>Newcomers</em>, which have yet to be let in by what they say, are counted by address
 * beside that. A newcomer begins only while those of its address are fewer than the places that are
 * free. So one address that opens connections and says nothing takes half of what others have left,
 * and a crowd of one address has all of it, half of the rest at a time: who cannot begin waits in
 * line, without a place, until one of its address has been let in or is gone.
 *
 * <p>What is free are places less those taken and those that newcomers may want which have none
 * yet, such as HTTP/2 connections without a call. A line moves whenever one of its address has gone
 * on; and there is one that has begun, or the next in line would have: so no line stands still for
 * longer than a handshake and a close may take. When a place comes free and no line of its own
 * address moves, some others are looked at, in turn. Lines together are as long as there are
 * places, and half of what is left of that is one address's at most.
 */
public final class ConnectionCount {
  /** So many of one address are told at a time that no place is free. */
  private static final int TOLD_AT_ONCE = 16;

  /** So many of the addresses with lines are looked at when a place comes free. */
  private static final int LOOKED_AT = 16;

  private final int most;

  // Guarded by this. Those with newcomers.
  private final Map<Object, Address> addresses = new HashMap<>();
  // Those with lines; who has been looked at goes behind the others.
  private final LinkedHashSet<Address> lines = new LinkedHashSet<>();
  private int served;
  private int unplaced;
  private int turnedAway;
  private int inLine;
  private boolean open;

  /**
   * @param most that are served at once
   */
  public ConnectionCount(int most) {
    this(most, true);
  }

  private ConnectionCount(int most, boolean open) {
    this.most = most;
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
  public synchronized void open() {
    open = true;
  }

  /** Whether as many as are served are being turned away, or it is shut: no more are even told. */
  public synchronized boolean isFull() {
    return !open || turnedAway >= most;
  }

  public int most() {
    return most;
  }

  /** Connections that wait until they may begin to say who they are. */
  public synchronized int inLine() {
    return inLine;
  }

  /**
   * One more newcomer from an address.
   *
   * @param onTurn if it has to wait, runs once when it may begin, on any thread; it must be short
   * @return the caller's, which tells what becomes of the connection; null if it is not even to be
   *     told that it is one too many
   */
  public synchronized @Nullable Newcomer newcomer(SocketAddress peer, Runnable onTurn) {
    if (isFull()) {
      return null;
    }
    Address address = addresses.computeIfAbsent(key(peer), Address::new);
    boolean atOnce = address.line.isEmpty() && mayBegin(address);
    if (!atOnce && address.line.size() >= most - inLine) {
      return null;
    }
    Newcomer newcomer = new Newcomer(address, atOnce, onTurn);
    if (atOnce) {
      newcomer.begin();
    } else {
      inLine++;
      address.line.add(newcomer);
      lines.add(address);
    }
    return newcomer;
  }

  private static Object key(SocketAddress peer) {
    return peer instanceof InetSocketAddress ? ((InetSocketAddress) peer).getAddress() : peer;
  }

  private boolean mayBegin(Address address) {
    int free = most - served - unplaced;
    return address.newcomers < (free > 0 ? free : TOLD_AT_ONCE);
  }

  /** One of an address is no newcomer any more. */
  private List<Newcomer> moveLine(Address address) {
    List<Newcomer> begun = new ArrayList<>();
    while (!address.line.isEmpty() && mayBegin(address)) {
      Newcomer next = address.line.remove();
      inLine--;
      next.begin();
      begun.add(next);
    }
    if (address.line.isEmpty()) {
      lines.remove(address);
      if (address.newcomers == 0) {
        addresses.remove(address.key);
      }
    }
    return begun;
  }

  /** A place has come free, which is one of any address's. */
  private List<Newcomer> moveLines() {
    List<Newcomer> begun = List.of();
    for (int i = Math.min(lines.size(), LOOKED_AT); i > 0 && begun.isEmpty(); i--) {
      Address next = lines.iterator().next();
      lines.remove(next);
      lines.add(next);
      begun = moveLine(next);
    }
    return begun;
  }

  private static final class Address {
    private final Object key;
    private final ArrayDeque<Newcomer> line = new ArrayDeque<>();
    // That have begun.
    private int newcomers;

    Address(Object key) {
      this.key = key;
    }
  }

  private enum Stage {
    IN_LINE,
    /** It may say who it is, and has no place. */
    BEGUN,
    PLACED,
    TURNED_AWAY,
    /** It is no newcomer any more, and has a place. */
    LET_IN,
    GONE
  }

  /** A connection, from when it was accepted until it is gone. Thread-safe. */
  public final class Newcomer {
    private final Address address;
    private final boolean atOnce;
    private final Runnable onTurn;
    // Guarded by the count.
    private Stage stage = Stage.IN_LINE;

    private Newcomer(Address address, boolean atOnce, Runnable onTurn) {
      this.address = address;
      this.atOnce = atOnce;
      this.onTurn = onTurn;
    }

    private void begin() {
      stage = Stage.BEGUN;
      address.newcomers++;
      unplaced++;
    }

    /** Whether it may begin as soon as it is there; else it is told when. */
    public boolean beginsAtOnce() {
      return atOnce;
    }

    /** Takes a place; false if there is none, and the connection counts as turned away. */
    public boolean takePlace() {
      synchronized (ConnectionCount.this) {
        if (stage != Stage.BEGUN) {
          return false;
        }
        unplaced--;
        boolean fits = served < most;
        if (fits) {
          served++;
        } else {
          turnedAway++;
        }
        stage = fits ? Stage.PLACED : Stage.TURNED_AWAY;
        return fits;
      }
    }

    /** It has said who it is. */
    public void letIn() {
      List<Newcomer> begun = List.of();
      synchronized (ConnectionCount.this) {
        if (stage == Stage.PLACED) {
          stage = Stage.LET_IN;
          address.newcomers--;
          begun = moveLine(address);
        }
      }
      begun.forEach(next -> next.onTurn.run());
    }

    /** The connection is gone; again is harmless. */
    public void gone() {
      List<Newcomer> begun = List.of();
      synchronized (ConnectionCount.this) {
        Stage before = stage;
        stage = Stage.GONE;
        switch (before) {
          case IN_LINE:
            inLine--;
            address.line.remove(this);
            break;
          case BEGUN:
            unplaced--;
            break;
          case PLACED:
          case LET_IN:
            served--;
            break;
          case TURNED_AWAY:
            turnedAway--;
            break;
          case GONE:
            return;
        }
        if (before != Stage.IN_LINE) {
          begun = placeCameFree(before);
        } else if (address.line.isEmpty()) {
          lines.remove(address);
        }
      }
      begun.forEach(next -> next.onTurn.run());
    }

    private List<Newcomer> placeCameFree(Stage before) {
      List<Newcomer> begun = List.of();
      if (before != Stage.LET_IN) {
        address.newcomers--;
        begun = moveLine(address);
      }
      return begun.isEmpty() ? moveLines() : begun;
    }
  }
}
