package io.sluice.server.partition;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
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
public final class MemoryRun {
  private final BlockIndex index = new BlockIndex();
  private final SharedChunks shared = new SharedChunks();
  // Replaced by a list when the first one comes.
  private List<ReceivedBlock> own = List.of();
  // The partition's own hold, and one of a flush that copies.
  private final AtomicInteger holds = new AtomicInteger(1);
  private int bytes;
  private boolean claimed;
  private boolean inMemory = true;
  private @Nullable StoredExtent stored;
  private int @Nullable [] order;

  MemoryRun() {}

  void append(ByteBuffer block, int offset, int length, int mapIndex, ChunkSource source) {
    shared.append(block, offset, length, source);
    index.add(mapIndex, length, false);
    bytes += length;
  }

  void link(ReceivedBlock block) {
    if (own.isEmpty()) {
      own = new ArrayList<>();
    }
    own.add(block);
    index.add(block.mapIndex(), block.length(), true);
    bytes += block.length();
  }

  /** Leases the block that was added last. */
  void leaseLast(int length, LeasedBlocks into) {
    if (index.ownChunks(index.size() - 1)) {
      own.get(own.size() - 1).lease(into);
    } else {
      shared.lease(shared.used() - length, length, into);
    }
    into.blockEnds(length);
  }

  /** Headers and payloads, in bytes. */
  public int bytes() {
    return bytes;
  }

  public int blocks() {
    return index.size();
  }

  BlockIndex index() {
    return index;
  }

  SharedChunks shared() {
    return shared;
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

  /** Ends the time in memory: readers find the blocks in the extent, or, without one, nowhere. */
  void moved(@Nullable StoredExtent to, int @Nullable [] inOrder) {
    inMemory = false;
    stored = to;
    order = inOrder;
    release();
  }

  private void hold() {
    holds.incrementAndGet();
  }

  /** Ends a hold; the last one gives the chunks back, less those that readers have on lease. */
  public void release() {
    int left = holds.decrementAndGet();
    if (left < 0) {
      throw new IllegalStateException("run released twice");
    }
    if (left == 0) {
      shared.release();
      own.forEach(ReceivedBlock::release);
      own = List.of();
    }
  }
}
