package io.sluice.server.memory;

import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Cuts chunks of 4, 16, 64, 256 KiB and 1 MiB out of slabs of direct memory. Thread-safe.
 *
 * <p>A slab is a quad-tree of nodes: because four free siblings merge, and any free node splits,
 * free memory can always be had in chunks of 4 KiB, so whoever holds a reservation gets its bytes,
 * if need be in smaller chunks than hoped for. No allocation can fail that the {@link MemoryBudget}
 * allowed; accounted bytes are real bytes.
 *
 * <p>Slabs come from the system in regions of up to 32 MiB, which are kept. Only pieces of 2 MiB
 * and more can lie in huge pages, without which each block costs misses of the page tables as well
 * as of the cache ({@code docs/benchmarks/storage.md}). Clearing a region takes milliseconds, so
 * the next one is taken on another thread when the one before is begun.
 *
 * <p>One lock guards slabs and lists. It is held for some ten nanoseconds per chunk, and there is
 * about one chunk per 64 KiB of data; for the time of a region only if the arena was filled faster
 * than it could grow.
 */
public final class ChunkArena {
  /** The smallest chunk, in bytes; all reservations are multiples of it. */
  public static final int MIN_CHUNK_BYTES = ChunkSize.MIN;

  /** The largest chunk, in bytes. */
  public static final int MAX_CHUNK_BYTES = ChunkSize.MAX;

  private static final int REGION_SLABS_MAX = 32;

  /** A small arena grows in as many steps, so that a server takes little more than it needs. */
  private static final int REGIONS_MIN = 16;

  /** One for each 64 KiB, which is what a chunk has on average; 56 bytes each. */
  private static final int SPARES_PER_SLAB = 16;

  private final MemoryBudget budget;
  private final MemoryBudget reserve;
  private final Executor growth;
  private final int maxSlabs;
  private final int regionSlabs;
  private final int sparesMax;
  private final @Nullable Slab[] withFree = new Slab[ChunkSize.LEVELS];
  private final AtomicLong chunkBytes = new AtomicLong();
  // Slabs there are, those included that are being taken.
  private int slabs;
  private int slabsBeingTaken;
  // In the list of level 0.
  private int wholeSlabs;
  private boolean growing;
  // Chunks that are no piece now: most of what a push would leave behind, otherwise.
  private @Nullable Chunk firstSpare;
  private int spares;

  /** An arena that grows only when it has to, on the thread that needs a chunk. */
  public ChunkArena(MemoryBudget budget) {
    this(budget, ahead -> {});
  }

  /**
   * @param budget of a capacity in whole slabs
   * @param growth where memory is taken from the system ahead of need: milliseconds for each region
   */
  public ChunkArena(MemoryBudget budget, Executor growth) {
    this(budget, new MemoryBudget(0), growth);
  }

  /**
   * An arena whose bytes are promised by two budgets, each of which gets back what it has paid for.
   *
   * @param reserve kept apart for what must not wait for the rest; together whole slabs
   */
  public ChunkArena(MemoryBudget budget, MemoryBudget reserve, Executor growth) {
    long capacity = budget.capacity() + reserve.capacity();
    if (capacity % ChunkSize.MAX != 0) {
      throw new IllegalArgumentException("not whole slabs: " + capacity);
    }
    this.budget = budget;
    this.reserve = reserve;
    this.growth = growth;
    this.maxSlabs = Math.toIntExact(capacity / ChunkSize.MAX);
    this.sparesMax = maxSlabs * SPARES_PER_SLAB;
    this.regionSlabs = Math.max(1, Math.min(REGION_SLABS_MAX, maxSlabs / REGIONS_MIN));
  }

  public MemoryBudget budget() {
    return budget;
  }

  /** The part that is kept apart. */
  public MemoryBudget reserve() {
    return reserve;
  }

  /** All of it, in bytes. */
  public long capacity() {
    return budget.capacity() + reserve.capacity();
  }

  /** Bytes that nobody holds, of both budgets. */
  public long free() {
    return budget.free() + reserve.free();
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
    while (addRegion()) {
      // Others may cut chunks in between.
    }
  }

  /** Takes one more region, unless the arena is as large as it may be. */
  private boolean addRegion() {
    int count;
    synchronized (this) {
      count = Math.min(regionSlabs, maxSlabs - slabs);
      slabs += count;
      slabsBeingTaken += count;
    }
    if (count > 0) {
      int taken = 0;
      try {
        ByteBuffer region = ByteBuffer.allocateDirect(count * ChunkSize.MAX);
        taken = count;
        list(region, count);
      } finally {
        // Without memory, whoever waits for it must fail as well, and not wait for good.
        settle(count, taken);
      }
    }
    return count > 0;
  }

  private synchronized void list(ByteBuffer region, int count) {
    for (int i = 0; i < count; i++) {
      relist(new Slab(region.slice(i * ChunkSize.MAX, ChunkSize.MAX)));
    }
  }

  private synchronized void settle(int wanted, int taken) {
    slabs -= wanted - taken;
    slabsBeingTaken -= wanted;
    notifyAll();
  }

  private void growAhead() {
    if (growing || wholeSlabs >= regionSlabs || slabs == maxSlabs) {
      return;
    }
    growing = true;
    try {
      growth.execute(this::grow);
    } catch (RejectedExecutionException ending) {
      growing = false;
    }
  }

  private void grow() {
    try {
      addRegion();
    } finally {
      synchronized (this) {
        growing = false;
      }
    }
  }

  /**
   * Turns part of a reservation into a chunk, with one lease.
   *
   * @param maxBytes at least {@link #MIN_CHUNK_BYTES}; the chunk is the largest size not above it,
   *     or smaller if the arena is fragmented
   */
  public Chunk allocate(MemoryReservation reservation, int maxBytes) {
    int level = ChunkSize.levelWithin((int) Math.min(maxBytes, reservation.bytes()));
    Chunk chunk = cut(reservation.budget(), level);
    reservation.take(chunk.capacity());
    chunkBytes.addAndGet(chunk.capacity());
    return chunk;
  }

  /** The largest chunk size not above so many bytes, which must be at least the smallest. */
  public static int sizeWithin(int bytes) {
    return ChunkSize.ofLevel(ChunkSize.levelWithin(bytes));
  }

  void free(Chunk chunk) {
    MemoryBudget payer = chunk.budget();
    int bytes = chunk.capacity();
    // The node first, the bytes after: whoever reserves them must find it.
    synchronized (this) {
      takeBack(chunk);
    }
    chunkBytes.addAndGet(-bytes);
    payer.release(bytes);
  }

  /** Frees the first chunks of an array, under the lock once. */
  void free(Chunk[] chunks, int count) {
    long ofBudget = 0;
    long ofReserve = 0;
    synchronized (this) {
      for (int i = 0; i < count; i++) {
        Chunk chunk = chunks[i];
        if (chunk.budget() == reserve) {
          ofReserve += chunk.capacity();
        } else {
          ofBudget += chunk.capacity();
        }
        takeBack(chunk);
      }
    }
    chunkBytes.addAndGet(-ofBudget - ofReserve);
    budget.release(ofBudget);
    reserve.release(ofReserve);
  }

  private void takeBack(Chunk chunk) {
    chunk.slab().put(chunk.level(), chunk.node());
    relist(chunk.slab());
    keep(chunk);
  }

  private synchronized Chunk cut(MemoryBudget payer, int wanted) {
    Chunk chunk = cutWhole(payer, wanted);
    while (chunk == null && (awaitRegion() || addRegion())) {
      chunk = cutWhole(payer, wanted);
    }
    if (chunk == null) {
      chunk = cutSmaller(payer, wanted);
    }
    growAhead();
    return chunk;
  }

  /** Waits for the region that another thread is taking; false if none is. */
  private boolean awaitRegion() {
    boolean waited = false;
    boolean interrupted = false;
    while (slabsBeingTaken > 0) {
      waited = true;
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return waited;
  }

  private @Nullable Chunk cutWhole(MemoryBudget payer, int wanted) {
    for (int level = wanted; level >= 0; level--) {
      Slab slab = withFree[level];
      if (slab != null) {
        return cut(payer, slab, level, wanted);
      }
    }
    return null;
  }

  private Chunk cutSmaller(MemoryBudget payer, int wanted) {
    for (int level = wanted + 1; level < ChunkSize.LEVELS; level++) {
      Slab slab = withFree[level];
      if (slab != null) {
        return cut(payer, slab, level, level);
      }
    }
    throw new IllegalStateException("arena is empty although a reservation is held");
  }

  private Chunk cut(MemoryBudget payer, Slab slab, int from, int wanted) {
    int node = slab.take(from, wanted);
    relist(slab);
    Chunk chunk = firstSpare;
    if (chunk == null) {
      return new Chunk(this, payer, slab, wanted, node);
    }
    firstSpare = chunk.spare;
    chunk.spare = null;
    spares--;
    chunk.become(payer, slab, wanted, node);
    return chunk;
  }

  private void keep(Chunk chunk) {
    if (spares < sparesMax) {
      chunk.spare = firstSpare;
      firstSpare = chunk;
      spares++;
    }
  }

  private void relist(Slab slab) {
    for (int left = slab.misplaced(); left != 0; left &= left - 1) {
      int level = Integer.numberOfTrailingZeros(left);
      if ((slab.listed >> level & 1) != 0) {
        unlink(slab, level);
      } else {
        link(slab, level);
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
    slab.listed |= 1 << level;
    wholeSlabs += level == 0 ? 1 : 0;
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
    slab.listed &= ~(1 << level);
    wholeSlabs -= level == 0 ? 1 : 0;
  }
}
