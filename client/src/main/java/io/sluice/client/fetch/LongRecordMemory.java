package io.sluice.client.fetch;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.ArrayDeque;

/**
 * The heap that all readers of a client together may fill with records that are longer than a
 * block, until those are whole. Thread-safe; its lock is a leaf.
 *
 * <p>Half of it is shared, to each reader an equal part: what a reader wants beyond that, it has to
 * set aside. The rest is for readers that come back for what they set aside and need more than
 * their part for a single record. They know how long that is and reserve it first, all there is if
 * nobody else has anything; so a record is too long only if it is longer than that.
 *
 * <p>Who has to wait for a reservation holds nothing meanwhile, and until it has it nothing more is
 * given to others: what they have comes back as their records become whole, or are set aside.
 */
final class LongRecordMemory implements AutoCloseable {
  private final long maxBytes;
  private final Object lock = new Object();

  // All guarded by lock.
  private long shared;
  private long single;
  private long givenBack;
  private int rooms;
  private boolean closed;
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

  LongRecordMemory(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Bytes that all readers may have together. */
  long maxBytes() {
    return maxBytes;
  }

  /** Bytes that are held and reserved. */
  long inUse() {
    synchronized (lock) {
      return shared + single;
    }
  }

  /**
   * Bytes that readers ever gave back, of reservations that they keep as well: as long as they
   * grow, waiting is not in vain.
   */
  long givenBack() {
    synchronized (lock) {
      return givenBack;
    }
  }

  /** For a reader, which takes nothing yet. */
  Room open() {
    return new Room();
  }

  private long share() {
    return maxBytes / 2 / Math.max(1, rooms);
  }

  private boolean hasRoom(long bytes) {
    return shared + single + bytes <= maxBytes;
  }

  private boolean hasSharedRoom(long bytes) {
    return waiting.isEmpty() && shared + bytes <= maxBytes / 2 && hasRoom(bytes);
  }

  /** With the lock. */
  private void wakeFirst() {
    Runnable first = waiting.peekFirst();
    if (first != null) {
      first.run();
    }
  }

  /** Whoever waits, and whoever will, is told that the client is closed. */
  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
      waiting.forEach(Runnable::run);
    }
  }

  /** What one reader has. Used by one thread at a time. */
  final class Room implements AutoCloseable {
    // Guarded by lock.
    private long used;
    private long reservation;
    private boolean ofShared;
    private boolean counted;
    private boolean open = true;

    /**
     * Takes room for a block.
     *
     * @return false if there is none, now: something else has to be given back first
     */
    boolean take(long bytes) {
      synchronized (lock) {
        if (!open) {
          return false;
        }
        if (reservation > 0) {
          if (used + bytes > reservation) {
            return false;
          }
        } else {
          count();
          if (used + bytes > share() || !hasSharedRoom(bytes)) {
            return false;
          }
          shared += bytes;
        }
        used += bytes;
        return true;
      }
    }

    private void count() {
      if (!counted) {
        counted = true;
        rooms++;
      }
    }

    /** Gives back what was taken. */
    void giveBack(long bytes) {
      synchronized (lock) {
        used -= bytes;
        givenBack += bytes;
        if (reservation == 0) {
          shared -= bytes;
          wakeFirst();
        }
      }
    }

    /** Bytes that are the reader's part. */
    long share() {
      synchronized (lock) {
        return LongRecordMemory.this.share();
      }
    }

    /** Whether what may be taken is what was reserved. */
    boolean isReserved() {
      synchronized (lock) {
        return reservation > 0;
      }
    }

    /**
     * Reserves so much of what is shared for what comes next. By a reader that holds nothing and
     * has reserved nothing.
     *
     * @return whether it could be had
     */
    boolean reserveShared(long bytes) {
      synchronized (lock) {
        if (bytes > share() || !hasSharedRoom(bytes)) {
          return false;
        }
        count();
        reservation = bytes;
        ofShared = true;
        shared += bytes;
        return true;
      }
    }

    /** The same for a single record, of all there is, if nobody waits for that. */
    boolean reserve(long bytes) {
      synchronized (lock) {
        return waiting.isEmpty() && reserveNow(bytes);
      }
    }

    private boolean reserveNow(long bytes) {
      if (closed) {
        throw new SluiceException(ErrorCode.CANCELLED, "the client is closed");
      }
      if (!hasRoom(bytes)) {
        return false;
      }
      count();
      reservation = bytes;
      ofShared = false;
      single += bytes;
      return true;
    }

    /**
     * Lines up for a reservation; to be followed by {@link #leaveLine}.
     *
     * @param wake run when it may be worth to ask; on any thread, with the lock of this, so that it
     *     may do no more than signal
     */
    void lineUp(Runnable wake) {
      synchronized (lock) {
        waiting.addLast(wake);
      }
    }

    /** The same as {@link #reserve} for who has lined up, when it is its turn. */
    boolean reserveInTurn(Runnable wake, long bytes) {
      synchronized (lock) {
        return (waiting.peekFirst() == wake || closed) && reserveNow(bytes);
      }
    }

    /** Does not wait any more, with or without a reservation. */
    void leaveLine(Runnable wake) {
      synchronized (lock) {
        waiting.remove(wake);
        wakeFirst();
      }
    }

    /** Gives back what is reserved. What was taken of it was given back before. */
    void endReservation() {
      synchronized (lock) {
        if (ofShared) {
          shared -= reservation;
        } else {
          single -= reservation;
        }
        givenBack += reservation;
        reservation = 0;
        wakeFirst();
      }
    }

    /** Takes nothing any more. What was taken was given back before. Harmless when repeated. */
    @Override
    public void close() {
      synchronized (lock) {
        endReservation();
        open = false;
        if (counted) {
          counted = false;
          rooms--;
        }
      }
    }
  }
}
