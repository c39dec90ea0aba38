package io.sluice.server.memory;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The heap that may be taken by the tables that say which blocks are here: shuffles, partitions and
 * extents. They grow with what clients name, not with the bytes they push, so the arena does not
 * bound them. Thread-safe.
 *
 * <p>Costs are what a 64-bit JVM with compressed pointers takes, rounded up. Whoever adds to a
 * table asks first whether it is {@link #exhausted}, then takes; an event loop so oversteps by one
 * partition at most. Extents are the exception: blocks accepted already must reach the disk, so a
 * flush takes without asking. Blocks in memory become at most one extent for each chunk, which is
 * 96 bytes for 4 KiB or more: a fortieth of the arena on top of the capacity.
 */
public final class TableBudget {
  /** A shuffle without its partitions: the object, its key, its places in maps. */
  public static final long SHUFFLE_BYTES = 1024;

  /** A partition without its extents: locks, lists, a run with its index. */
  public static final long PARTITION_BYTES = 512;

  /** An extent without its sparse index, and its place in the partition's list. */
  public static final long EXTENT_BYTES = 96;

  private final long capacity;
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong extents = new AtomicLong();

  /**
   * @param capacity in bytes
   */
  public TableBudget(long capacity) {
    this.capacity = capacity;
  }

  public long capacity() {
    return capacity;
  }

  public long used() {
    return used.get();
  }

  /** Whether nothing new should be taken in. */
  public boolean exhausted() {
    return used.get() >= capacity;
  }

  public void take(long bytes) {
    used.addAndGet(bytes);
  }

  /** An extent came, which takes so many bytes. */
  public void takeExtent(long bytes) {
    extents.incrementAndGet();
    take(bytes);
  }

  /** An extent went. */
  public void giveBackExtent(long bytes) {
    extents.decrementAndGet();
    giveBack(bytes);
  }

  /** Extents there are. */
  public long extents() {
    return extents.get();
  }

  public void giveBack(long bytes) {
    if (used.addAndGet(-bytes) < 0) {
      throw new IllegalStateException("more of the tables was given back than taken");
    }
  }
}
