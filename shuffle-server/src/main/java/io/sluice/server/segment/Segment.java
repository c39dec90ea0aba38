package io.sluice.server.segment;

import io.sluice.common.id.ShuffleKey;

/**
 * One segment file as the store knows it. Whoever works with the file holds a lease; a removed
 * segment gives no new ones and is swept when the last ends. Thread-safe.
 */
final class Segment {
  private final long number;
  private final ShuffleKey shuffle;
  private final String file;
  private final SegmentSweeper sweeper;

  /** Added to by the one writer that appends, as {@link SegmentTable} sees to. */
  private final UnitEnds ends;

  /** Whether this life made the file. Changed by the same. */
  private volatile boolean created;

  /** Whether power loss may take some of the file. */
  private volatile boolean unsynced;

  private int leases;
  private boolean removed;
  // Of its name there was one already, which is somebody else's.
  private boolean hasNoFile;

  Segment(long number, ShuffleKey shuffle, UnitEnds ends, SegmentSweeper sweeper) {
    this.number = number;
    this.shuffle = shuffle;
    this.file = new SegmentFileName(number, shuffle).path();
    this.ends = ends;
    this.sweeper = sweeper;
  }

  long number() {
    return number;
  }

  ShuffleKey shuffle() {
    return shuffle;
  }

  String file() {
    return file;
  }

  /** End of the last unit. */
  long end() {
    return ends.last();
  }

  /** A unit was appended that ends here. */
  void extendTo(long newEnd) {
    ends.add(newEnd);
  }

  /** Where its units begin and end. */
  UnitEnds units() {
    return ends;
  }

  boolean isCreated() {
    return created;
  }

  void setCreated() {
    created = true;
    unsynced = true;
  }

  boolean isUnsynced() {
    return unsynced;
  }

  /** Somebody has written it and may not have lived to sync it. */
  void setUnsynced() {
    unsynced = true;
  }

  /** There is somebody else's file of this name: it stays when the segment goes. */
  synchronized void leaveFile() {
    hasNoFile = true;
  }

  /** Takes a lease, to be {@link #release released} exactly once; false if removed. */
  synchronized boolean tryLease() {
    if (removed) {
      return false;
    }
    leases++;
    return true;
  }

  /** Takes another lease for whoever holds one already; to be released like that. */
  synchronized void retain() {
    leases++;
  }

  void release() {
    synchronized (this) {
      leases--;
      if (leases > 0 || !removed || hasNoFile) {
        return;
      }
    }
    sweeper.enqueue(this);
  }

  /** Gives no lease any more; removing twice is harmless. */
  void remove() {
    synchronized (this) {
      if (removed) {
        return;
      }
      removed = true;
      if (leases > 0 || hasNoFile) {
        return;
      }
    }
    sweeper.enqueue(this);
  }
}
