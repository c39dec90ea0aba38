package io.sluice.server.memory;

import io.sluice.server.fair.TurnQueue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How much of the arena all readers together may keep from being freed: chunks of which bytes are
 * on their way to a socket. A chunk counts as a whole, and once, however many readers have part of
 * it on lease. Thread-safe; held for some ten nanoseconds when a chunk gets its first reader and
 * loses its last.
 *
 * <p>A reader that finds no room waits in its {@link Line}: applications take turns, then their
 * connections, in bytes. Room that comes free is kept for who is first, who is told, looks at once,
 * and gives back what it does not use. Nobody overtakes those who wait. One application has half of
 * the room at most, so that readers of one that take nothing hold up no others; its own wait apart,
 * out of the way.
 *
 * <p>Room for one chunk there is always if nobody holds any, for an application and for all.
 */
public final class LeaseBudget {
  private static final int SHARE_OF_ARENA = 4;
  private static final int SHARE_OF_APPLICATION = 2;

  private final long capacity;
  private final long perApplication;
  // The rest is guarded by this. Those with lines, and those with leases.
  private final Map<Object, Account> accounts = new HashMap<>();
  private final TurnQueue<Object, Line> waiting = new TurnQueue<>();
  private long leased;
  private int queued;

  private LeaseBudget(long capacity) {
    this.capacity = Math.max(ChunkSize.MAX, capacity);
    this.perApplication = Math.max(ChunkSize.MAX, capacity / SHARE_OF_APPLICATION);
  }

  /** A quarter of an arena of so many bytes, at least the largest chunk. */
  public static LeaseBudget ofArena(long bytes) {
    return new LeaseBudget(bytes / SHARE_OF_ARENA);
  }

  public long capacity() {
    return capacity;
  }

  /** The most that readers of one application may have. */
  public long perApplication() {
    return perApplication;
  }

  /** Capacity of the chunks that readers have on lease, and what is kept for who was told. */
  public synchronized long leased() {
    return leased;
  }

  /** Lines in which somebody waits. */
  public synchronized int waiting() {
    return queued;
  }

  /** Applications that have a line or a lease. */
  synchronized int applications() {
    return accounts.size();
  }

  /**
   * A place to wait, for one stream.
   *
   * @param connection whose turn it takes among those of the application
   * @param onRoom runs once for each wait that ends, on any thread; it must be short
   */
  public synchronized Line line(Object application, Object connection, Runnable onRoom) {
    Account account = accounts.computeIfAbsent(application, Account::new);
    account.lines++;
    return new Line(account, connection, onRoom);
  }

  private boolean fits(Account account, long bytes) {
    return leased + bytes <= capacity && account.leased + bytes <= perApplication;
  }

  private void count(Account account, long bytes) {
    leased += bytes;
    account.leased += bytes;
  }

  private void release(Account account, long bytes) {
    List<Line> told;
    synchronized (this) {
      count(account, -bytes);
      if (leased < 0 || account.leased < 0) {
        throw new IllegalStateException("more was given back than leased");
      }
      told = dispatch(account);
      forgetIfIdle(account);
    }
    told.forEach(Line::tell);
  }

  private void forgetIfIdle(Account account) {
    if (account.lines == 0 && account.leased == 0) {
      accounts.remove(account.application);
    }
  }

  /** Grants what there is room for, of an application's own limit first. */
  private List<Line> dispatch(Account changed) {
    if (queued == 0) {
      return List.of();
    }
    long room = perApplication - changed.leased;
    Line next;
    while ((next = changed.parked.peek()) != null && next.wanted <= room) {
      room -= next.wanted;
      changed.parked.poll(next.wanted, 1);
      next.parked = false;
      waiting.add(changed.application, next.connection, next);
    }
    List<Line> granted = new ArrayList<>();
    while ((next = waiting.peek()) != null) {
      Account account = next.account;
      if (account.leased + next.wanted > perApplication) {
        waiting.remove(account.application, next.connection, next);
        park(next);
      } else if (leased + next.wanted > capacity) {
        break;
      } else {
        waiting.poll(next.wanted, 1);
        queued--;
        count(account, next.wanted);
        next.granted = next.wanted;
        next.wanted = 0;
        granted.add(next);
      }
    }
    return granted;
  }

  private static void park(Line line) {
    line.parked = true;
    line.account.parked.add(line.account.application, line.connection, line);
  }

  /** One application. Guarded by the budget. */
  private static final class Account {
    private final Object application;
    // Lines that wait until others of the application have given back.
    private final TurnQueue<Object, Line> parked = new TurnQueue<>();
    private long leased;
    private int lines;

    Account(Object application) {
      this.application = application;
    }
  }

  /** One stream's place. On its event loop, but for what ends a lease. */
  public final class Line implements AutoCloseable {
    private final Account account;
    private final Object connection;
    private final Runnable onRoom;
    // Guarded by the budget: what it waits for, and where, or what is kept for it.
    private long wanted;
    private boolean parked;
    private long granted;
    // The event loop's: whether any of these may be set.
    private boolean asked;
    private boolean closed;

    private Line(Account account, Object connection, Runnable onRoom) {
      this.account = account;
      this.connection = connection;
      this.onRoom = onRoom;
    }

    /** Counts a chunk that gets its first reader; false if there is no room. */
    boolean take(int bytes) {
      synchronized (LeaseBudget.this) {
        if (granted >= bytes) {
          granted -= bytes;
          return true;
        }
        boolean may = wanted == 0 && mayGoFirst() && fits(account, bytes);
        if (may) {
          count(account, bytes);
        }
        return may;
      }
    }

    private boolean mayGoFirst() {
      return waiting.isEmpty() && account.parked.isEmpty();
    }

    /** A chunk has lost its last reader. Any thread. */
    void giveBack(int bytes) {
      release(account, bytes);
    }

    /**
     * Waits for room, unless it waits already.
     *
     * @param bytes capacity of a chunk that was refused
     * @return true if there is room now, which is kept for the next try
     */
    public boolean await(int bytes) {
      asked = true;
      List<Line> told;
      synchronized (LeaseBudget.this) {
        if (granted >= bytes) {
          return true;
        }
        if (wanted > 0) {
          return false;
        }
        long more = bytes - granted;
        if (mayGoFirst() && fits(account, more)) {
          count(account, more);
          granted = bytes;
          return true;
        }
        count(account, -granted);
        granted = 0;
        wanted = bytes;
        queued++;
        if (account.leased + bytes > perApplication || !account.parked.isEmpty()) {
          park(this);
        } else {
          waiting.add(account.application, connection, this);
        }
        // What was given back may be enough for others, and nobody else may give any.
        told = dispatch(account);
      }
      told.forEach(Line::tell);
      return false;
    }

    /** Waits no more, and gives back what is kept for it. */
    public void leave() {
      if (asked) {
        asked = false;
        List<Line> told;
        synchronized (LeaseBudget.this) {
          if (wanted > 0) {
            queued--;
            wanted = 0;
            (parked ? account.parked : waiting).remove(account.application, connection, this);
            parked = false;
          }
          count(account, -granted);
          granted = 0;
          told = dispatch(account);
        }
        told.forEach(Line::tell);
      }
    }

    /** Gives back what is kept for it; if it waits, it goes on waiting. */
    public void giveBackUnused() {
      List<Line> told = List.of();
      synchronized (LeaseBudget.this) {
        if (granted > 0) {
          count(account, -granted);
          granted = 0;
          told = dispatch(account);
        }
      }
      told.forEach(Line::tell);
    }

    private void tell() {
      onRoom.run();
    }

    /** Leaves for good; leases that were taken go on. */
    @Override
    public void close() {
      leave();
      synchronized (LeaseBudget.this) {
        if (!closed) {
          closed = true;
          account.lines--;
          forgetIfIdle(account);
        }
      }
    }
  }

  @Override
  public synchronized String toString() {
    return leased + " of " + capacity + " bytes leased, " + queued + " wait";
  }
}
