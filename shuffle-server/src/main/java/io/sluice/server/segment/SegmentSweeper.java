package io.sluice.server.segment;

import io.sluice.server.catalog.UnitCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskQueue;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Unlinks removed segments as a chore of their disk. What fails stays marked in the catalog and is
 * tried again at the next start. Thread-safe.
 */
final class SegmentSweeper {
  private static final Logger log = LoggerFactory.getLogger(SegmentSweeper.class);

  /** Segments per removal batch of the catalog. */
  private static final int BATCH_MAX = 64;

  private final Disk disk;
  private final UnitCatalog catalog;
  private final DiskQueue queue;
  private final LongConsumer forgetting;
  private final ArrayDeque<Segment> pending = new ArrayDeque<>();
  private boolean scheduled;

  /**
   * @param forgetting drops what is kept of a segment, by number: open files, bytes that were read
   */
  SegmentSweeper(Disk disk, UnitCatalog catalog, DiskQueue queue, LongConsumer forgetting) {
    this.disk = disk;
    this.catalog = catalog;
    this.queue = queue;
    this.forgetting = forgetting;
  }

  /** Takes over a segment that nobody leases or can lease any more. */
  void enqueue(Segment segment) {
    synchronized (pending) {
      pending.add(segment);
      if (scheduled) {
        return;
      }
      scheduled = true;
    }
    if (!queue.chore(this::sweepAll)) {
      log.info("{}: closed before all removed segments were unlinked", disk.name());
    }
  }

  /** One chore until nothing is left: a second one might come too late for a closing queue. */
  private void sweepAll() {
    for (List<Segment> batch = next(); !batch.isEmpty(); batch = next()) {
      try {
        sweep(batch);
      } catch (RuntimeException e) {
        // Whatever it is, the next batch may fare better, and later segments need the chore alive.
        log.error("{}: {} removed segments were not unlinked", disk.name(), batch.size(), e);
      }
    }
  }

  private List<Segment> next() {
    List<Segment> batch = new ArrayList<>();
    synchronized (pending) {
      while (batch.size() < BATCH_MAX && !pending.isEmpty()) {
        batch.add(pending.remove());
      }
      scheduled = !batch.isEmpty();
    }
    return batch;
  }

  private void sweep(List<Segment> batch) {
    List<Long> numbers = batch.stream().map(Segment::number).toList();
    catalog.beginRemoval(numbers);
    List<Long> gone = new ArrayList<>();
    for (Segment segment : batch) {
      forgetting.accept(segment.number());
      try {
        disk.delete(segment.file());
        gone.add(segment.number());
      } catch (IOException e) {
        log.warn("{}: cannot unlink {}", disk.name(), segment.file(), e);
      }
    }
    catalog.endRemoval(gone);
  }
}
