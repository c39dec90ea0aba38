package io.sluice.server.flush;

import io.sluice.common.time.Scheduler;
import io.sluice.server.lifecycle.ShuffleRegistry;
import io.sluice.server.memory.ChunkArena;
import io.sluice.server.memory.MemoryShortage;
import io.sluice.server.metrics.ServerStats;
import io.sluice.server.partition.Shuffle;
import io.sluice.server.segment.SegmentStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Keeps memory free by writing units to all disks. Thread-safe. Without disks it does nothing, and
 * memory is all there is.
 */
public final class Flusher {
  /** As long as what a disk says of its room may be old. */
  private static final long LOOK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final FlushGauge gauge;
  private final ShuffleRegistry registry;
  private final List<DiskFlusher> disks;
  private final StoreChoice choice;
  private final Scheduler scheduler;
  private final AtomicBoolean lookingAgain = new AtomicBoolean();
  private final CompletableFuture<Boolean> drained = new CompletableFuture<>();

  public Flusher(
      FlushLimits limits,
      Memory memory,
      ShuffleRegistry registry,
      List<SegmentStore> stores,
      FlushThreads threads,
      ServerStats stats) {
    this.gauge = new FlushGauge(limits, memory.arena(), memory.shortage());
    this.registry = registry;
    FlushContext context =
        new FlushContext(
            limits,
            gauge,
            registry,
            threads.executor(),
            threads.scheduler(),
            stats,
            this::settled,
            this::wakeAll,
            this::choice);
    this.disks = stores.stream().map(store -> new DiskFlusher(store, context)).toList();
    this.choice = new StoreChoice(disks, limits.tiers());
    this.scheduler = threads.scheduler();
    disks.forEach(DiskFlusher::listen);
  }

  private StoreChoice choice() {
    return choice;
  }

  /** What is to be kept free, and who waits for it. */
  public record Memory(ChunkArena arena, MemoryShortage shortage) {}

  /**
   * Where a flush runs.
   *
   * @param executor for planning, copying, megabytes at a time, and publishing; never an event loop
   * @param scheduler for trying failed disks again
   */
  public record FlushThreads(Executor executor, Scheduler scheduler) {}

  /** Memory was taken: looks whether a flush is due. Cheap; any thread. */
  public void memoryGrew() {
    if (gauge.demand() != Demand.NONE) {
      disks.forEach(DiskFlusher::memoryGrew);
    }
  }

  private void wakeAll() {
    for (DiskFlusher disk : disks) {
      if (!disk.paused()) {
        disk.wake();
      }
    }
  }

  /**
   * Writes everything in memory to disk; nothing more may be pushed. Ends with true if all of it
   * got there, with false if there is no disk left to wait for: each is closed, or fenced for
   * longer than one that works again would be. A disk that has just failed is worth the wait, which
   * the caller bounds.
   */
  public CompletableFuture<Boolean> drain() {
    gauge.drain();
    if (disks.isEmpty()) {
      drained.complete(flushableBytes() == 0);
    }
    wakeAll();
    if (disks.stream().allMatch(DiskFlusher::paused)) {
      // Nobody was woken who would look.
      settled();
    }
    return drained;
  }

  private void settled() {
    if (!gauge.draining() || drained.isDone()) {
      return;
    }
    if (gauge.nothingUnsaved(this::flushableBytes)) {
      drained.complete(true);
    } else if (gauge.inFlight() == 0) {
      long patience = disks.stream().mapToLong(DiskFlusher::patienceNanos).max().orElse(0);
      if (patience == 0) {
        drained.complete(false);
      } else {
        lookAgainIn(Math.min(patience, LOOK_AGAIN_NANOS));
      }
    }
  }

  /**
   * Disks that are fenced wake nobody when they have been so for too long. Nor does a disk whose
   * room changes by itself: two that looked at it a moment apart may each have left what there is
   * to the other.
   */
  private void lookAgainIn(long nanos) {
    if (lookingAgain.compareAndSet(false, true)) {
      scheduler.schedule(
          nanos,
          () -> {
            lookingAgain.set(false);
            wakeAll();
            settled();
          });
    }
  }

  /** Whether there are disks, and none that works has room for a unit. */
  public boolean full() {
    boolean full = false;
    for (DiskFlusher disk : disks) {
      Fitness fitness = disk.fitness();
      if (fitness.compareTo(Fitness.FULL) < 0) {
        return false;
      }
      full |= fitness == Fitness.FULL;
    }
    return full;
  }

  /** Whether a store takes seconds for a unit, so that it is passed by where it can be. */
  public boolean slow(SegmentStore store) {
    return disks.stream().anyMatch(disk -> disk.store() == store && disk.slow());
  }

  /** Bytes in memory that have not reached a disk; a glance while flushes are under way. */
  public long unsavedBytes() {
    return flushableBytes() + gauge.inFlight();
  }

  /** Of these, those in units that are being filled or written. */
  public long flushingBytes() {
    return gauge.inFlight();
  }

  private long flushableBytes() {
    long bytes = 0;
    for (Shuffle shuffle : registry.all()) {
      bytes += shuffle.flushableBytes();
    }
    return bytes;
  }
}
