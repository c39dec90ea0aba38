package io.sluice.server.memory;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Cuts chunks of 4, 16, 64, 256 KiB and 1 MiB out of slabs of direct memory. Thread-safe.
 *
 * <p>Slabs are allocated on demand and kept. A slab is a quad-tree of nodes: because four free
 * siblings merge, and any free node splits, free memory can always be had in chunks of 4 KiB, so
 * whoever holds a reservation gets its bytes, if need be in smaller chunks than hoped for. No
 * allocation can fail that the {@link MemoryBudget} allowed; accounted bytes are real bytes.
 *
 * <p>One lock guards slabs and lists. It is held for some ten nanoseconds per chunk (for the time
 * of one allocation of 1 MiB while the arena still grows), and there is about one chunk per 64 KiB
 * of data.
 */
public final class ChunkArena {
  /** The smallest chunk, in bytes; all reservations are multiples of it. */
  public static final int MIN_CHUNK_BYTES = ChunkSize.MIN;

  /** The largest chunk, in bytes. */
  public static final int MAX_CHUNK_BYTES = ChunkSize.MAX;

  private final MemoryBudget budget;
  private final int maxSlabs;
  private final @Nullable Slab[] withFree = new Slab[ChunkSize.LEVELS];
  private final AtomicLong chunkBytes = new AtomicLong();
  private int slabs;

  /**
   * @param budget of a capacity in whole slabs
   */
  public ChunkArena(MemoryBudget budget) {
    if (budget.capacity() % ChunkSize.MAX != 0) {
      throw new IllegalArgumentException("not whole slabs: " + budget.capacity());
    }
    this.budget = budget;
    this.maxSlabs = Math.toIntExact(budget.capacity() / ChunkSize.MAX);
  }

  public MemoryBudget budget() {
    return budget;
  }

  /** Capacity of all chunks in use, in bytes. */
  public long chunkBytes() {
    return chunkBytes.get();
  }

  /** Direct memory allocated so far, in bytes. */
  public synchronized long slabBytes() {
    return (long) slabs * ChunkSize.MAX;
  }

  /** Takes all memory from the system now; about half a second for each GiB. */
  public void preallocate() {
    while (addSlab()) {
      // Others may cut chunks in between.
    }
  }

  private synchronized boolean addSlab() {
    if (slabs == maxSlabs) {
      return false;
    }
    relist(new Slab());
    slabs++;
    return true;
  }

  /**
   * Turns part of a reservation into a chunk, with one lease.
   *
   * @param maxBytes at least {@link #MIN_CHUNK_BYTES}; the chunk is the largest size not above it,
   *     or smaller if the arena is fragmented
   */
  public Chunk allocate(MemoryReservation reservation, int maxBytes) {
    int level = ChunkSize.levelWithin((int) Math.min(maxBytes, reservation.bytes()));
    Chunk chunk = cut(level);
    reservation.take(chunk.capacity());
    chunkBytes.addAndGet(chunk.capacity());
    return chunk;
  }

  /** The largest chunk size not above so many bytes, which must be at least the smallest. */
  public static int sizeWithin(int bytes) {
    return ChunkSize.ofLevel(ChunkSize.levelWithin(bytes));
  }

  void free(Chunk chunk) {
    // The node first, the bytes after: whoever reserves them must find it.
    synchronized (this) {
      chunk.slab().put(chunk.level(), chunk.node());
      relist(chunk.slab());
    }
    chunkBytes.addAndGet(-chunk.capacity());
    budget.release(chunk.capacity());
  }

  private synchronized Chunk cut(int wanted) {
    for (int level = wanted; level >= 0; level--) {
      Slab slab = withFree[level];
      if (slab != null) {
        return cut(slab, level, wanted);
      }
    }
    if (slabs < maxSlabs) {
      Slab slab = new Slab();
      slabs++;
      return cut(slab, 0, wanted);
    }
    for (int level = wanted + 1; level < ChunkSize.LEVELS; level++) {
      Slab slab = withFree[level];
      if (slab != null) {
        return cut(slab, level, level);
      }
    }
    throw new IllegalStateException("arena is empty although a reservation is held");
  }

  private Chunk cut(Slab slab, int from, int wanted) {
    int node = slab.take(from, wanted);
    relist(slab);
    return new Chunk(this, slab, wanted, node);
  }

  private void relist(Slab slab) {
    for (int level = 0; level < ChunkSize.LEVELS; level++) {
      if (slab.hasFree(level) != slab.listed[level]) {
        if (slab.listed[level]) {
          unlink(slab, level);
        } else {
          link(slab, level);
        }
      }
    }
  }

  private void link(Slab slab, int level) {
    Slab head = withFree[level];
    slab.next[level] = head;
    if (head != null) {
      head.previous[level] = slab;
    }
    withFree[level] = slab;
    slab.listed[level] = true;
  }

  private void unlink(Slab slab, int level) {
    Slab next = slab.next[level];
    Slab previous = slab.previous[level];
    if (next != null) {
      next.previous[level] = previous;
    }
    if (previous != null) {
      previous.next[level] = next;
    } else {
      withFree[level] = next;
    }
    slab.next[level] = null;
    slab.previous[level] = null;
    slab.listed[level] = false;
  }
}
