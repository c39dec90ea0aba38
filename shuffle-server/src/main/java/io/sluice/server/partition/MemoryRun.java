package io.sluice.server.partition;

import io.sluice.server.memory.Chunk;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of one partition that lie in memory and will leave it together, as one extent.
 *
 * <p>Blocks that came whole lie back to back in shared chunks; blocks that came in parts have
 * chunks of their own. A run grows until it is claimed by a flush or full; from then on its blocks
 * never change. Flushed, its memory goes, but the object stays for readers that were in the middle
 * of it: {@link #stored} and {@link #order} tell where each of its blocks is now.
 *
 * <p>Guarded by the partition's lock, but for the holds; a claimed run may be read without it by
 * the flush that claimed it.
 */
public final class MemoryRun extends RunBlocks {
  // No object of its own: see the class above.
  private static final AtomicIntegerFieldUpdater<MemoryRun> HOLDS =
      AtomicIntegerFieldUpdater.newUpdater(MemoryRun.class, "holds");

  private static final Chunk[] NO_CHUNKS = new Chunk[0];

  // Of all blocks that came in parts, in their order: no object for each of them.
  private Chunk[] own = NO_CHUNKS;
  private int ownCount;

  // The partition's own hold, and one of a flush that copies.
  @SuppressWarnings("UnusedVariable") // used through its updater
  private volatile int holds = 1;

  private int bytes;
  private boolean claimed;
  private boolean inMemory = true;
  private @Nullable StoredExtent stored;
  private int @Nullable [] order;
  // Who waits for that. Few runs have any.
  private Set<Runnable> awaiting = Set.of();

  /** Of blocks and chunks as expected: as of {@link RunBlocks}. */
  MemoryRun(int expectedBlocks, int expectedChunks) {
    super(expectedBlocks, expectedChunks);
  }

  void append(ByteBuffer block, int offset, int length, int mapIndex, ChunkSource source) {
    copy(block, offset, length, source);
    note(mapIndex, length, false);
    bytes += length;
  }

  /** Takes over the leases of the first {@code count} chunks, which a block fills in order. */
  void link(Chunk[] chunks, int count, int length, int mapIndex) {
    if (own.length < ownCount + count) {
      own = Arrays.copyOf(own, Math.max(ownCount + count, 2 * ownCount));
    }
    System.arraycopy(chunks, 0, own, ownCount, count);
    ownCount += count;
    note(mapIndex, length, true);
    bytes += length;
  }

  /** Leases the block that was added last. */
  void leaseLast(int length, LeasedBlocks into) {
    if (ownChunks(blocks() - 1)) {
      leaseOwn(length, into);
    } else {
      leaseCopied(used() - length, length, into);
    }
    into.blockEnds(length);
  }

  private void leaseOwn(int length, LeasedBlocks into) {
    int from = ownCount;
    for (int before = 0; before < length; before += own[from].capacity()) {
      from--;
    }
    int left = length;
    for (int at = from; at < ownCount; at++) {
      int part = Math.min(left, own[at].capacity());
      into.add(own[at], 0, part);
      left -= part;
    }
  }

  /** Headers and payloads, in bytes. */
  public int bytes() {
    return bytes;
  }

  /** One of the chunks of blocks that came in parts. */
  Chunk own(int at) {
    return own[at];
  }

  /** Where the chunks of the next block that came in parts begin. */
  int afterOwn(int first, int length) {
    int at = first;
    int left = length;
    while (left > 0) {
      left -= own[at++].capacity();
    }
    return at;
  }

  /** Appends a block that came in parts to a buffer, up to so many of its bytes. */
  void copyOwn(int first, int length, ByteBuffer target) {
    int at = first;
    int left = length;
    while (left > 0) {
      Chunk chunk = own[at++];
      int part = Math.min(left, chunk.capacity());
      chunk.copyTo(0, target, part);
      left -= part;
    }
  }

  boolean claimed() {
    return claimed;
  }

  /** No block is added from here on. */
  void claim() {
    claimed = true;
    hold();
  }

  void unclaim() {
    claimed = false;
  }

  /** Whether the blocks are still in memory as far as readers are concerned. */
  boolean inMemory() {
    return inMemory;
  }

  /** The extent that took the blocks over; null before, and if they were removed. */
  @Nullable StoredExtent stored() {
    return stored;
  }

  /** For each place in the extent, the number of the block there; null as {@link #stored}. */
  int @Nullable [] order() {
    return order;
  }

  /** Has something run when the time in memory ends; false if it has ended. */
  boolean whenMoved(Runnable task) {
    if (inMemory) {
      awaiting = awaiting.isEmpty() ? new LinkedHashSet<>() : awaiting;
      awaiting.add(task);
    }
    return inMemory;
  }

  void forget(Runnable task) {
    if (!awaiting.isEmpty()) {
      awaiting.remove(task);
    }
  }

  /**
   * Ends the time in memory: readers find the blocks in the extent, or, without one, nowhere.
   *
   * @return what is to be run because of that, outside the lock
   */
  Set<Runnable> moved(@Nullable StoredExtent to, int @Nullable [] inOrder) {
    inMemory = false;
    stored = to;
    order = inOrder;
    Set<Runnable> told = awaiting;
    awaiting = Set.of();
    release();
    return told;
  }

  private void hold() {
    HOLDS.incrementAndGet(this);
  }

  /** Ends a hold; the last one gives the chunks back, less those that readers have on lease. */
  public void release() {
    int left = HOLDS.decrementAndGet(this);
    if (left < 0) {
      throw new IllegalStateException("run released twice");
    }
    if (left == 0) {
      releaseCopied();
      Chunk.releaseAll(own, ownCount);
      own = NO_CHUNKS;
      ownCount = 0;
    }
  }
}
