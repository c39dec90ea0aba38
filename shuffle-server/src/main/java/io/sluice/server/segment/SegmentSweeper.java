package io.sluice.server.segment;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Scheduler;
import io.sluice.server.catalog.Removal;
import io.sluice.server.catalog.UnitCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskQueue;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Unlinks removed segments as a chore of their disk. Thread-safe.
 *
 * <p>A segment counts as gone only if the disk's directory was the one that was opened before and
 * after its file was: where a disk has vanished, no file is there either, and the segment would be
 * back with the disk. What could not be unlinked is tried again when the disk has come back, after
 * deletions that went well, and after a while that doubles with each failure. Its removal is marked
 * in the catalog meanwhile, so the next start finishes what is left.
 *
 * <p>Files go also where the catalog does not take that mark: on a full disk it takes nothing until
 * there is room, and room comes from here. Their records are left, of units without a file, and
 * struck out when the removal is tried again.
 */
final class SegmentSweeper implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SegmentSweeper.class);

  /** Segments per removal batch of the catalog. */
  private static final int BATCH_MAX = 64;

  /**
   * Segments that wait for another try: some 150 bytes each, 10 MiB in all. Those beyond wait for
   * the next start, which counts units as lost of which only a record is left.
   */
  static final int FAILED_MAX = 1 << 16;

  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int RETRY_DOUBLINGS_MAX = 6;

  private final Disk disk;
  private final UnitCatalog catalog;
  private final DiskQueue queue;
  private final @Nullable Scheduler scheduler;
  private final Owner owner;

  // The rest is guarded by this.
  private final ArrayDeque<Removed> pending = new ArrayDeque<>();
  private final ArrayDeque<Removed> failed = new ArrayDeque<>();
  private int underWay;
  private int failures;
  private boolean sweeping;
  private boolean retryScheduled;
  private boolean closed;

  /** Whose segments they are. Called on threads of the disk. */
  interface Owner {
    /** Drops what is kept of a segment: open files, bytes that were read. */
    void forget(long segment);

    /**
     * The catalog could not write a removal: it may take nothing more before it is opened again.
     */
    void catalogFailed(SluiceException failure);

    /**
     * What waited has gone, but for what is tried again later.
     *
     * @throws SluiceException if the catalog failed at what it was asked for then
     */
    void swept();
  }

  /** What has to be known of a segment that is gone but for its file. */
  private record Removed(Removal removal, String file) {}

  /**
   * @param scheduler for trying again; null: only with later deletions
   */
  SegmentSweeper(
      Disk disk, UnitCatalog catalog, DiskQueue queue, @Nullable Scheduler scheduler, Owner owner) {
    this.disk = disk;
    this.catalog = catalog;
    this.queue = queue;
    this.scheduler = scheduler;
    this.owner = owner;
  }

  /** Takes over a segment that nobody leases or can lease any more. */
  void enqueue(Segment segment) {
    synchronized (this) {
      pending.add(new Removed(new Removal(segment.number(), segment.shuffle()), segment.file()));
    }
    sweepSoon();
  }

  /** The disk works, as far as is known: tries again what has failed. Any thread. */
  void retry() {
    synchronized (this) {
      if (closed || failed.isEmpty()) {
        return;
      }
      pending.addAll(failed);
      failed.clear();
    }
    sweepSoon();
  }

  /** Segments whose removal has not come to its end, those that have to wait for it included. */
  synchronized int waiting() {
    return pending.size() + failed.size() + underWay;
  }

  private void sweepSoon() {
    synchronized (this) {
      if (sweeping) {
        return;
      }
      sweeping = true;
    }
    if (!queue.chore(this::sweepAll)) {
      synchronized (this) {
        sweeping = false;
      }
      log.info("{}: closed before all removed segments were unlinked", disk.name());
    }
  }

  /** One chore until nothing is left: a second one might come too late for a closing queue. */
  private void sweepAll() {
    do {
      sweepPending();
      tellThatSwept();
    } while (!isDone());
  }

  private void sweepPending() {
    for (List<Removed> batch = next(); !batch.isEmpty(); batch = next()) {
      List<Removed> left = batch;
      Exception problem = null;
      try {
        left = new ArrayList<>(batch);
        problem = sweep(batch, left);
      } catch (IOException | RuntimeException e) {
        // Whatever it is, the next batch may fare better, and later segments need the chore alive.
        problem = e;
      }
      tellIfCatalogFailed(problem);
      settle(left, problem);
    }
  }

  private void tellThatSwept() {
    try {
      owner.swept();
    } catch (SluiceException e) {
      log.warn("{}: its catalog failed after unlinking", disk.name(), e);
      tellIfCatalogFailed(e);
    } catch (RuntimeException e) {
      log.error("{}: what follows unlinking went wrong", disk.name(), e);
    }
  }

  /** Something may have come meanwhile. */
  private synchronized boolean isDone() {
    sweeping = !pending.isEmpty();
    return !sweeping;
  }

  /** Whatever comes of it where it is heard, the chore goes on. */
  private void tellIfCatalogFailed(@Nullable Exception problem) {
    SluiceException failure = catalogFailure(problem);
    if (failure == null) {
      return;
    }
    try {
      owner.catalogFailed(failure);
    } catch (RuntimeException e) {
      log.error("{}: telling that its catalog failed went wrong", disk.name(), e);
    }
  }

  /**
   * Files fail with other exceptions. One record that is damaged is no failure of the disk, which
   * each further try would fence. A catalog that takes nothing any more since it met damage says
   * the same, and is opened again here: where nothing but removals is written, nobody else would.
   */
  private @Nullable SluiceException catalogFailure(@Nullable Exception problem) {
    if (!(problem instanceof SluiceException failure)) {
      return null;
    }
    if (failure.code() == ErrorCode.DISK_FAILED) {
      return failure;
    }
    return failure.code() == ErrorCode.CORRUPT_CATALOG ? probeCatalog() : null;
  }

  /** Returns why it takes nothing all the same, or null. */
  private @Nullable SluiceException probeCatalog() {
    try {
      catalog.probe();
      return null;
    } catch (SluiceException e) {
      return e;
    } catch (RuntimeException e) {
      log.error("{}: opening its catalog again failed unexpectedly", disk.name(), e);
      return new SluiceException(
          ErrorCode.INTERNAL_ERROR,
          "the catalog of " + disk.name() + " cannot be opened again: " + e,
          e);
    }
  }

  private synchronized List<Removed> next() {
    List<Removed> batch = new ArrayList<>();
    while (batch.size() < BATCH_MAX && !pending.isEmpty()) {
      batch.add(pending.remove());
    }
    underWay = batch.size();
    return batch;
  }

  /**
   * Unlinks a batch.
   *
   * @param left those that are still there, or in the catalog, are left in it
   * @return why, or null if none is
   */
  private @Nullable Exception sweep(List<Removed> batch, List<Removed> left) throws IOException {
    SluiceException unmarked = mark(batch);
    batch.forEach(segment -> owner.forget(segment.removal().segment()));
    disk.check();
    List<Removed> gone = new ArrayList<>();
    IOException problem = null;
    for (Removed segment : batch) {
      try {
        disk.delete(segment.file());
        gone.add(segment);
      } catch (IOException e) {
        problem = e;
      }
    }
    disk.check();
    if (unmarked != null) {
      return unmarked;
    }
    catalog.endRemoval(gone.stream().map(Removed::removal).toList());
    left.removeAll(gone);
    return problem;
  }

  /** Returns why the catalog did not take it, or null if it did. */
  private @Nullable SluiceException mark(List<Removed> batch) {
    try {
      catalog.beginRemoval(batch.stream().map(Removed::removal).toList());
      return null;
    } catch (SluiceException e) {
      return e;
    }
  }

  private void settle(List<Removed> left, @Nullable Exception problem) {
    boolean again;
    synchronized (this) {
      underWay = 0;
      again = problem == null && !failed.isEmpty();
      if (problem == null) {
        failures = 0;
      }
    }
    if (problem != null) {
      keep(left, problem);
    } else if (again) {
      retry();
    }
  }

  private void keep(List<Removed> left, Exception problem) {
    long delay;
    int dropped;
    synchronized (this) {
      int room = Math.min(left.size(), FAILED_MAX - failed.size());
      failed.addAll(left.subList(0, room));
      dropped = left.size() - room;
      delay = RETRY_NANOS << Math.min(failures, RETRY_DOUBLINGS_MAX);
      failures++;
    }
    report(left, dropped, problem);
    retryIn(delay);
  }

  private void report(List<Removed> left, int dropped, Exception problem) {
    if (dropped > 0) {
      log.error("{}: {} removed segments stay until the next start", disk.name(), dropped, problem);
    } else if (problem instanceof IOException || problem instanceof SluiceException) {
      log.warn(
          "{}: {} segments are not removed to the end yet, {} among them",
          disk.name(),
          left.size(),
          left.get(0).file(),
          problem);
    } else {
      log.error("{}: unlinking {} segments failed unexpectedly", disk.name(), left.size(), problem);
    }
  }

  private void retryIn(long delayNanos) {
    synchronized (this) {
      if (scheduler == null || retryScheduled || closed) {
        return;
      }
      retryScheduled = true;
    }
    scheduler.schedule(
        delayNanos,
        () -> {
          synchronized (this) {
            retryScheduled = false;
          }
          retry();
        });
  }

  /**
   * Nothing is tried again. What is removed until the disk's queue closes, by the last of its
   * readers, is still unlinked.
   */
  @Override
  public synchronized void close() {
    closed = true;
  }
}
