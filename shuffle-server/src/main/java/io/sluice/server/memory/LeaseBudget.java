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
 * <p>Room for one chunk there is always if nobody holds any, for an application and for all. What
 * one connection may have of it is bounded by its queue, {@link QueuedChunks}.
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
   * The queue of a connection that reads.
   *
   * @param onRoom as of {@link QueuedChunks}
   */
  public QueuedChunks queue(Runnable onRoom) {
    return new QueuedChunks(perApplication, onRoom);
  }

  /**
   * A place to wait, for one stream.
   *
   * @param connection whose turn it takes among those of the application, and whose queue gets what
   *     it leases
   * @param onRoom runs once for each wait that ends, on any thread; it must be short
   */
  public synchronized Line line(Object application, QueuedChunks connection, Runnable onRoom) {
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
    tell(told);
  }

  /** Most of the time nobody: then without an iterator, since leases end a few times a block. */
  private static void tell(List<Line> told) {
    for (int i = 0; i < told.size(); i++) {
      told.get(i).onRoom.run();
    }
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
    while ((next = changed.parked.peek()) != null && next.bytes <= room) {
      room -= next.bytes;
      changed.parked.poll(next.bytes, 1);
      next.waitIn(State.WAITING);
    }
    List<Line> granted = new ArrayList<>();
    while ((next = waiting.peek()) != null) {
      Account account = next.account;
      if (account.leased + next.bytes > perApplication) {
        waiting.remove(account.application, next.connection, next);
        next.waitIn(State.PARKED);
      } else if (leased + next.bytes > capacity) {
        break;
      } else {
        waiting.poll(next.bytes, 1);
        queued--;
        count(account, next.bytes);
        next.state = State.GRANTED;
        granted.add(next);
      }
    }
    return granted;
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

  /**
   * Where a line stands.
   *
   * <pre>
   *         await               room            used up, given back
   *   IDLE ───┬───▶ WAITING ────────────▶ GRANTED ──────────────────▶ IDLE
   *           │       ▲ │ its application    ▲
   *           │   room│ ▼ has its half       │
   *           ├────▶ PARKED                  │
   *           └──────────────────────────────┘
   *                    room at once               close(): CLOSED, leave(): IDLE, from anywhere
   * </pre>
   */
  private enum State {
    /** Wants nothing. */
    IDLE,
    /** In line for what all readers share. */
    WAITING,
    /** Apart, until others of its application have given back. */
    PARKED,
    /** Something is kept for it. */
    GRANTED,
    CLOSED
  }

  /** One stream's place. On its event loop, but for what ends a lease. */
  public final class Line implements AutoCloseable {
    private final Account account;
    private final QueuedChunks connection;
    private final Runnable onRoom;
    // Guarded by the budget. Only its event loop makes it IDLE, or ends that: so the loop may look
    // without the lock whether it is.
    private State state = State.IDLE;
    // What it waits for, or what is kept for it.
    private long bytes;

    private Line(Account account, QueuedChunks connection, Runnable onRoom) {
      this.account = account;
      this.connection = connection;
      this.onRoom = onRoom;
    }

    /** The queue that gets what is leased. */
    public QueuedChunks queue() {
      return connection;
    }

    /** Counts a chunk that gets its first reader; false if there is no room. */
    boolean take(int chunkBytes) {
      synchronized (LeaseBudget.this) {
        if (state == State.GRANTED && bytes >= chunkBytes) {
          keep(bytes - chunkBytes);
          return true;
        }
        boolean may = !waits() && mayGoFirst() && fits(account, chunkBytes);
        if (may) {
          count(account, chunkBytes);
        }
        return may;
      }
    }

    private boolean waits() {
      return state == State.WAITING || state == State.PARKED;
    }

    private boolean mayGoFirst() {
      return waiting.isEmpty() && account.parked.isEmpty();
    }

    private void keep(long left) {
      bytes = left;
      state = left == 0 ? State.IDLE : State.GRANTED;
    }

    /** A chunk has lost its last reader. Any thread. */
    void giveBack(int chunkBytes) {
      release(account, chunkBytes);
    }

    /**
     * Waits for room, unless it waits already.
     *
     * @param wanted capacity of a chunk that was refused
     * @return true if there is room now, which is kept for the next try
     */
    public boolean await(int wanted) {
      List<Line> told;
      synchronized (LeaseBudget.this) {
        if (waits()) {
          return false;
        }
        long kept = state == State.GRANTED ? bytes : 0;
        if (kept >= wanted) {
          return true;
        }
        if (mayGoFirst() && fits(account, wanted - kept)) {
          count(account, wanted - kept);
          keep(wanted);
          return true;
        }
        count(account, -kept);
        bytes = wanted;
        queued++;
        boolean apart = account.leased + wanted > perApplication || !account.parked.isEmpty();
        waitIn(apart ? State.PARKED : State.WAITING);
        // What was given back may be enough for others, and nobody else may give any.
        told = dispatch(account);
      }
      tell(told);
      return false;
    }

    private void waitIn(State line) {
      state = line;
      lineOf(line).add(account.application, connection, this);
    }

    private TurnQueue<Object, Line> lineOf(State line) {
      return line == State.PARKED ? account.parked : waiting;
    }

    /** Waits no more, and gives back what is kept for it. */
    public void leave() {
      if (state == State.IDLE) {
        return;
      }
      List<Line> told = List.of();
      synchronized (LeaseBudget.this) {
        if (waits()) {
          queued--;
          lineOf(state).remove(account.application, connection, this);
          keep(0);
          // Those behind it may want less.
          told = dispatch(account);
        } else if (state == State.GRANTED) {
          told = returnKept();
        }
      }
      tell(told);
    }

    /** Gives back what is kept for it; if it waits, it goes on waiting. */
    public void giveBackUnused() {
      List<Line> told = List.of();
      synchronized (LeaseBudget.this) {
        if (state == State.GRANTED) {
          told = returnKept();
        }
      }
      tell(told);
    }

    private List<Line> returnKept() {
      count(account, -bytes);
      keep(0);
      return dispatch(account);
    }

    /** Leaves for good; leases that were taken go on. */
    @Override
    public void close() {
      leave();
      synchronized (LeaseBudget.this) {
        if (state != State.CLOSED) {
          state = State.CLOSED;
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
