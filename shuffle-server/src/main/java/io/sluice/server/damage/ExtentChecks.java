package io.sluice.server.damage;

import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import io.sluice.server.metrics.ServerStats;
import io.sluice.server.partition.PartitionBuffer;
import io.sluice.server.partition.Shuffle;
import io.sluice.server.segment.SegmentStore;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Looks through the extents of partitions that readers complain of, and cuts those off before the
 * damage in which a header hides what comes behind it (docs/failures.md, "A damaged extent"). What
 * a reader says is a reason to look, and no more.
 *
 * <p>Bounded, whoever complains: one read of each store at a time ({@link StoreLine}), and what was
 * looked at lately is not read again. Thread-safe.
 */
public final class ExtentChecks {
  /**
   * An extent that was looked through is not looked at again for so long because of a damaged
   * payload, which hides nothing.
   */
  private static final long LATELY_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** The same because of a damaged header, which must have become so since; or is in memory. */
  private static final long LATELY_OF_HEADER_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final Executor executor;
  private final Scheduler scheduler;
  private final DamageReport report;
  private final PendingPartitions pending;
  // Guarded by this.
  private final Map<SegmentStore, StoreLine> lines = new LinkedHashMap<>();

  /**
   * @param executor where what was read is looked at: no event loop, though it never blocks
   * @param scheduler for the deadlines of who waits, and for pauses
   */
  public ExtentChecks(Executor executor, Scheduler scheduler, ServerStats stats) {
    this.executor = executor;
    this.scheduler = scheduler;
    this.report = new DamageReport(scheduler.clock(), stats);
    this.pending = new PendingPartitions(scheduler);
  }

  /**
   * A reader came upon damage in a partition, or says so. Any thread; takes note, which costs a
   * look at the list of extents. When this returns, whoever asks finds the partition {@link #await
   * waiting}, unless all of it was looked through lately.
   *
   * @param connection that it came on, which gets turns of its own; kept for a while
   * @param partition any number
   * @param header whether the damage is such that what comes behind is not found
   */
  public void complaint(Object connection, Shuffle shuffle, int partition, boolean header) {
    boolean possible = partition >= 0 && partition < Shuffle.MAX_PARTITIONS;
    PartitionBuffer there = possible ? shuffle.find(partition) : null;
    if (there == null) {
      return;
    }
    long now = scheduler.clock().nanoTime();
    long lately = header ? LATELY_OF_HEADER_NANOS : LATELY_NANOS;
    Set<SegmentStore> unknown = there.stores(extent -> !extent.lookedThroughWithin(lately, now));
    if (unknown.isEmpty()) {
      report.nothingToLookAt(shuffle.key(), partition);
    }
    for (SegmentStore store : unknown) {
      if (!line(store).complaint(connection, shuffle, there, lately)) {
        report.noPlace(shuffle.key(), partition);
      }
    }
    if (shuffle.removed()) {
      shufflesRemoved();
    }
  }

  private synchronized StoreLine line(SegmentStore store) {
    StoreLine line = lines.get(store);
    if (line == null) {
      line = new StoreLine(store, executor, scheduler, pending, report);
      lines.put(store, line);
      store.onHealthChange(line::healthChanged);
    }
    return line;
  }

  /**
   * Waits for the end of all looks at a partition; null if none is under way or has its turn yet to
   * come. Any thread.
   *
   * @param nanos how long, at most
   * @param wake told once when the wait is over, on any thread, unless it was closed before
   */
  public @Nullable LookWait await(PartitionBuffer partition, long nanos, Runnable wake) {
    return pending.await(partition, nanos, wake);
  }

  /** Some shuffles were removed: what waits of them is forgotten. Any thread. */
  public void shufflesRemoved() {
    List<StoreLine> all;
    synchronized (this) {
      all = List.copyOf(lines.values());
    }
    all.forEach(StoreLine::dropRemoved);
  }

  public Clock clock() {
    return scheduler.clock();
  }

  /** Partitions that are being looked through, or wait for that; a glance. */
  public int looking() {
    return pending.size();
  }
}
