package io.sluice.server.segment;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.file.IoReason;
import io.sluice.server.catalog.UnitCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskHealth;
import io.sluice.server.disk.DiskQueue;
import io.sluice.server.disk.DiskWatch;
import java.io.IOException;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes what was written to a disk survive power loss: by chores, a segment each, so that probes
 * and unlinking come in between, then the segments' names, and the catalog last. What a killed
 * process has written is in the operating system's memory, or the disk's own, as much as what this
 * one has; after a seal there is no such. Thread-safe.
 *
 * <p>This life has acknowledged nothing of what killed ones wrote, and its seal does not speak for
 * that. So a file of theirs that may not be opened, which nobody can read either, is left out. One
 * that opens and is not synced says something of the disk, and so does any file of this life: then
 * nothing is sealed.
 *
 * <p>None of it is watched: a file system that buffers may have gigabytes to write before a sync
 * returns, and serves its readers all the same. Whoever waits does so with a deadline.
 */
final class SegmentSync {
  private static final Logger log = LoggerFactory.getLogger(SegmentSync.class);

  private final Disk disk;
  private final SegmentTable table;
  private final UnitCatalog catalog;
  private final DiskQueue queue;
  private final DiskWatch watch;

  SegmentSync(
      Disk disk, SegmentTable table, UnitCatalog catalog, DiskQueue queue, DiskWatch watch) {
    this.disk = disk;
    this.table = table;
    this.catalog = catalog;
    this.queue = queue;
    this.watch = watch;
  }

  /**
   * See {@link SegmentStore#sync}.
   *
   * @param afterwards is queued as a chore once all is synced, before anybody hears of it; not if
   *     that fails
   */
  CompletableFuture<Void> begin(Runnable afterwards) {
    CompletableFuture<Void> synced = new CompletableFuture<>();
    goOn(table.unsynced().iterator(), afterwards, synced);
    return synced;
  }

  private void goOn(Iterator<Segment> left, Runnable afterwards, CompletableFuture<Void> synced) {
    if (!queue.chore(() -> step(left, afterwards, synced))) {
      synced.completeExceptionally(
          new SluiceException(ErrorCode.SHUTTING_DOWN, "disk " + disk.name() + " is closed"));
    }
  }

  private void step(Iterator<Segment> left, Runnable afterwards, CompletableFuture<Void> synced) {
    if (synced.isDone()) {
      return; // Given up by whoever waited.
    }
    try {
      requireHealthy();
      if (left.hasNext()) {
        sync(left.next());
        goOn(left, afterwards, synced);
      } else {
        forceNames();
        catalog.sync();
        queue.chore(afterwards);
        synced.complete(null);
      }
    } catch (SluiceException e) {
      synced.completeExceptionally(e);
    } catch (RuntimeException e) {
      // A thread's edge: whoever waits must hear of a bug, too.
      log.error("{}: a sync failed unexpectedly", disk.name(), e);
      synced.completeExceptionally(
          new SluiceException(ErrorCode.INTERNAL_ERROR, "disk " + disk.name() + ": " + e, e));
    }
  }

  /** Else a file could be gone with all that was synced of it, or one that was removed be back. */
  private void forceNames() {
    try {
      disk.forceNames(SegmentFileName.FOLDER);
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.DISK_FAILED,
          "disk " + disk.name() + " did not sync its folder " + SegmentFileName.FOLDER,
          e);
    }
  }

  private void requireHealthy() {
    DiskHealth health = watch.health();
    if (!health.healthy()) {
      throw new SluiceException(
          ErrorCode.DISK_FAILED, "disk " + disk.name() + " is fenced: " + health.problem());
    }
  }

  /** One that is removed meanwhile is nobody's any more. */
  private void sync(Segment segment) {
    if (!segment.tryLease()) {
      return;
    }
    try {
      disk.force(segment.file());
    } catch (IOException e) {
      if (segment.isCreated() || !isClosedToUs(segment)) {
        throw new SluiceException(
            ErrorCode.DISK_FAILED, "disk " + disk.name() + " did not sync " + segment.file(), e);
      }
      log.warn(
          "{}: {}, of an earlier life, is not synced, it may not be opened: {}",
          disk.name(),
          segment.file(),
          IoReason.of(e));
    } finally {
      segment.release();
    }
  }

  /** Whether a file may not be opened, on a disk that is there, by a process that opens others. */
  private boolean isClosedToUs(Segment segment) {
    try {
      disk.check();
      disk.list(SegmentFileName.FOLDER);
    } catch (IOException goneOrOutOfHandles) {
      return false;
    }
    try {
      disk.openForRead(segment.file()).close();
      return false;
    } catch (IOException e) {
      return true;
    }
  }
}
