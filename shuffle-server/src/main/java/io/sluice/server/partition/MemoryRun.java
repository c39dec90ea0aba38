package io.sluice.server.partition;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
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

  // Replaced by a list when the first one comes.
  private List<ReceivedBlock> own = List.of();

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

  MemoryRun() {}

  void append(ByteBuffer block, int offset, int length, int mapIndex, ChunkSource source) {
    copy(block, offset, length, source);
    note(mapIndex, length, false);
    bytes += length;
  }

  void link(ReceivedBlock block) {
    if (own.isEmpty()) {
      own = new ArrayList<>();
    }
    own.add(block);
    note(block.mapIndex(), block.length(), true);
    bytes += block.length();
  }

  /** Leases the block that was added last. */
  void leaseLast(int length, LeasedBlocks into) {
    if (ownChunks(blocks() - 1)) {
      own.get(own.size() - 1).lease(into);
    } else {
      leaseCopied(used() - length, length, into);
    }
    into.blockEnds(length);
  }

  /** Headers and payloads, in bytes. */
  public int bytes() {
    return bytes;
  }

  ReceivedBlock own(int ordinal) {
    return own.get(ordinal);
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
      own.forEach(ReceivedBlock::release);
      own = List.of();
    }
  }
}
