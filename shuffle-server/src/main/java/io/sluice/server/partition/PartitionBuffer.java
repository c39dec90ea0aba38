package io.sluice.server.partition;

import io.sluice.server.memory.Chunk;
import io.sluice.server.segment.SegmentStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of one partition. Appended to by event loops, emptied by flushes, looked at by
 * readers; thread-safe by its own monitor.
 *
 * <p>Of the runs, oldest first, only the last that is neither claimed nor full is appended to. It
 * is known beside their list, as is the next one to be claimed: with thousands of partitions each
 * object that an append has to visit is a miss of the cache, and so the monitor is this object's
 * own too.
 */
public final class PartitionBuffer {
  private static final AtomicLongFieldUpdater<PartitionBuffer> HELD_BYTES =
      AtomicLongFieldUpdater.newUpdater(PartitionBuffer.class, "heldBytes");

  private final int partition;
  private final int maxRunBytes;
  private final PartitionPage page;
  private final ShuffleAccount account;
  private final List<MemoryRun> runs = new ArrayList<>(1);
  private final List<StoredExtent> extents = new ArrayList<>(0);
  // The last of the runs unless it is claimed.
  private @Nullable MemoryRun active;
  // The first of the runs that is not claimed.
  private @Nullable MemoryRun oldestFree;
  private boolean closed;
  // Of the run that was claimed last, and one more: how large the next one may become.
  private int expectedBlocks;
  private int expectedChunks;
  // Written under the lock, read by planners without: bytes of all extents.
  private volatile long storedBytes;
  // Likewise: bytes of all blocks, wherever they are.
  private volatile long heldBytes;

  /**
   * @param page where its claimable bytes are noted
   * @param account of its shuffle
   */
  PartitionBuffer(int partition, PartitionPage page, int maxRunBytes, ShuffleAccount account) {
    this.partition = partition;
    this.page = page;
    this.maxRunBytes = maxRunBytes;
    this.account = account;
  }

  public int partition() {
    return partition;
  }

  /**
   * Copies a block to the end of the active run.
   *
   * @param leases gets leases on what was stored, unless null
   * @return false if the partition is gone; nothing was stored then
   */
  public boolean append(
      ByteBuffer block,
      int offset,
      int length,
      int mapIndex,
      ChunkSource source,
      @Nullable LeasedBlocks leases) {
    synchronized (this) {
      if (closed) {
        return false;
      }
      MemoryRun run = activeRun(length);
      run.append(block, offset, length, mapIndex, source);
      added(run, length, leases);
      return true;
    }
  }

  /**
   * Takes over a block that arrived in parts, with chunks of its own.
   *
   * @param chunks all but the last full; the array stays the caller's
   * @param count of them, the first ones
   * @param length header and payload, in bytes
   * @param leases as for {@link #append}
   * @return false if the partition is gone; the chunks are the caller's still
   */
  public boolean link(
      Chunk[] chunks, int count, int length, int mapIndex, @Nullable LeasedBlocks leases) {
    synchronized (this) {
      if (closed) {
        return false;
      }
      MemoryRun run = activeRun(length);
      run.link(chunks, count, length, mapIndex);
      added(run, length, leases);
      return true;
    }
  }

  private MemoryRun activeRun(int length) {
    MemoryRun last = active;
    if (last == null || last.bytes() + length > maxRunBytes) {
      last = new MemoryRun(expectedBlocks, expectedChunks);
      runs.add(last);
      active = last;
      if (oldestFree == null) {
        oldestFree = last;
      }
    }
    return last;
  }

  private void added(MemoryRun run, int length, @Nullable LeasedBlocks leases) {
    if (leases != null) {
      run.leaseLast(length, leases);
    }
    account.flushable().add(length);
    noteClaimable();
    charge(length);
  }

  private void charge(int bytes) {
    // Ordered is enough for a glance: a full barrier would wait for all of the copied block.
    HELD_BYTES.lazySet(this, heldBytes + bytes);
    account.quota().take(bytes);
  }

  /** Bytes of all blocks held here, in memory and on disks; a glance without the lock. */
  public long heldBytes() {
    return heldBytes;
  }

  /** Adds an extent found on a disk; harmless if the shuffle was removed meanwhile. */
  public void recovered(StoredExtent extent) {
    synchronized (this) {
      if (!closed) {
        add(extent);
        charge(extent.extent().length());
      }
    }
  }

  /** Under the lock. */
  private void add(StoredExtent extent) {
    extents.add(extent);
    account.tables().takeExtent(extent.heapBytes());
    long stored = storedBytes + extent.extent().length();
    storedBytes = stored;
    account.largestStored().accumulateAndGet(stored, Math::max);
  }

  /**
   * Cuts an extent off: who reads from now on meets its beginning and no more. Who reads it already
   * goes on, and its bytes stay on the disk for as long as its shuffle. The quota gets them back
   * nevertheless: maps that run again push them once more, and are not to be refused for that.
   *
   * @param beginning null if nothing of it is left
   * @return false if it was not here
   */
  public boolean cut(StoredExtent extent, @Nullable StoredExtent beginning) {
    synchronized (this) {
      int at = extents.indexOf(extent);
      if (at < 0) {
        return false;
      }
      int less = extent.extent().length();
      account.tables().giveBackExtent(extent.heapBytes());
      if (beginning == null) {
        extents.remove(at);
      } else {
        extents.set(at, beginning);
        less -= beginning.extent().length();
        account.tables().takeExtent(beginning.heapBytes());
      }
      storedBytes = storedBytes - less;
      HELD_BYTES.lazySet(this, heldBytes - less);
      account.quota().giveBack(less);
      return true;
    }
  }

  /**
   * Some of what lies in stores, in the order in which it came.
   *
   * @param wanted which; asked under the lock, must be quick
   */
  public List<StoredExtent> extents(Predicate<StoredExtent> wanted) {
    synchronized (this) {
      return extents.stream().filter(wanted).toList();
    }
  }

  /** Where those lie that are wanted. */
  public Set<SegmentStore> stores(Predicate<StoredExtent> wanted) {
    Set<SegmentStore> stores = new LinkedHashSet<>();
    synchronized (this) {
      for (StoredExtent extent : extents) {
        if (wanted.test(extent)) {
          stores.add(extent.store());
        }
      }
    }
    return stores;
  }

  /** Bytes in stores; a glance without the lock. */
  public long storedBytes() {
    return storedBytes;
  }

  /** Every block stored so far of a range of maps, each once. */
  public PartitionSnapshot snapshot(MapRange maps) {
    synchronized (this) {
      List<RunCursor> cursors = new ArrayList<>(runs.size());
      for (MemoryRun run : runs) {
        cursors.add(new RunCursor(this, run, maps));
      }
      List<StoredExtent> stored = new ArrayList<>(extents.size());
      for (StoredExtent each : extents) {
        if (each.extent().lastMap() >= maps.first()
            && (each.extent().firstMap() < maps.end() || maps.end() == Integer.MAX_VALUE)) {
          stored.add(each);
        }
      }
      return new PartitionSnapshot(cursors, stored);
    }
  }

  /** Bytes of the run that {@link #claim} would give; a glance without the lock. */
  public int claimable() {
    return page.claimable(partition);
  }

  /**
   * Gives the oldest free run to a flush, if it is of at most so many bytes. The flush ends with
   * {@link #publish} or {@link #unclaim}, and {@link MemoryRun#release} after it.
   */
  public @Nullable MemoryRun claim(int maxBytes) {
    synchronized (this) {
      MemoryRun run = oldestFree;
      if (run == null || run.bytes() > maxBytes) {
        return null;
      }
      run.claim();
      expectedBlocks = run.blocks() + 1;
      expectedChunks = run.chunks() + 1;
      account.flushable().add(-run.bytes());
      findFree();
      return run;
    }
  }

  /** The flush failed: the run waits for another one. */
  public void unclaim(MemoryRun run) {
    synchronized (this) {
      run.unclaim();
      if (!closed) {
        account.flushable().add(run.bytes());
        findFree();
      }
    }
  }

  /**
   * The flush succeeded: from now on readers find the blocks in the extent.
   *
   * @return false if the partition is gone, and the extent with it
   */
  public boolean publish(SortedRun flushed, StoredExtent extent) {
    Set<Runnable> told;
    synchronized (this) {
      if (closed) {
        return false;
      }
      add(extent);
      runs.remove(flushed.run());
      told = flushed.run().moved(extent, flushed.order());
    }
    told.forEach(Runnable::run);
    return true;
  }

  /** Drops everything; memory goes when the last lease ends. */
  void close() {
    List<Runnable> told = new ArrayList<>(0);
    synchronized (this) {
      closed = true;
      for (MemoryRun run : runs) {
        if (!run.claimed()) {
          account.flushable().add(-run.bytes());
        }
        told.addAll(run.moved(null, null));
      }
      runs.clear();
      for (StoredExtent extent : extents) {
        account.tables().giveBackExtent(extent.heapBytes());
      }
      extents.clear();
      findFree();
      account.quota().giveBack(heldBytes);
      heldBytes = 0;
    }
    told.forEach(Runnable::run);
  }

  /** To be called when a run was claimed or given back, or all are gone. */
  private void findFree() {
    MemoryRun oldest = null;
    MemoryRun last = null;
    for (MemoryRun run : runs) {
      last = run.claimed() ? null : run;
      oldest = oldest == null ? last : oldest;
    }
    oldestFree = oldest;
    active = last;
    noteClaimable();
  }

  private void noteClaimable() {
    MemoryRun run = oldestFree;
    page.setClaimable(partition, run == null ? 0 : run.bytes());
  }
}
