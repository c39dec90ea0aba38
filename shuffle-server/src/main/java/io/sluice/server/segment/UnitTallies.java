package io.sluice.server.segment;

import io.sluice.common.block.Crc32c;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.catalog.UnitCatalog;
import io.sluice.server.disk.DiskQueue;
import io.sluice.server.disk.DiskWatch;
import io.sluice.server.disk.IoMeter;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sums what the units of a shuffle say of map attempts, from their records in the catalog. One
 * shuffle at a time, as chores of the disk, a segment each: so probes and unlinking come in
 * between. A segment is leased meanwhile, and so its records stay. Thread-safe.
 */
final class UnitTallies {
  private static final Logger log = LoggerFactory.getLogger(UnitTallies.class);

  private final String disk;
  private final SegmentTable table;
  private final UnitCatalog catalog;
  private final DiskQueue queue;
  private final DiskWatch watch;
  private final AtomicReference<@Nullable Tally> underWay = new AtomicReference<>();

  UnitTallies(
      String disk, SegmentTable table, UnitCatalog catalog, DiskQueue queue, DiskWatch watch) {
    this.disk = disk;
    this.table = table;
    this.catalog = catalog;
    this.queue = queue;
    this.watch = watch;
  }

  void tally(ShuffleKey shuffle, int maxAttempts, SegmentStore.TallyCallback callback) {
    Tally tally =
        new Tally(table.segmentsOf(shuffle).iterator(), new MapTally(maxAttempts), callback);
    if (!watch.takesReads()) {
      tally.end(null, lost());
    } else if (!underWay.compareAndSet(null, tally)) {
      tally.end(
          null,
          new SluiceException(
              ErrorCode.TOO_MANY_STREAMS, "disk " + disk + " is tallying another shuffle"));
    } else {
      goOn(tally);
    }
  }

  private void goOn(Tally tally) {
    if (!tally.segments.hasNext()) {
      end(tally, null);
    } else if (!queue.chore(() -> step(tally))) {
      end(tally, new SluiceException(ErrorCode.SHUTTING_DOWN, "disk " + disk + " is closed"));
    }
  }

  private void step(Tally tally) {
    SluiceException failure = null;
    if (!tally.told.get()) {
      IoMeter.Access asking = watch.begin(IoMeter.Kind.ASK);
      try {
        addSegment(tally.segments.next(), tally.sums);
      } catch (SluiceException e) {
        failure = e;
      } catch (RuntimeException e) {
        // A thread's edge: who asked must hear of a bug, too.
        log.error("{}: a tally failed unexpectedly", disk, e);
        failure = new SluiceException(ErrorCode.INTERNAL_ERROR, "disk " + disk + ": " + e, e);
      } finally {
        asking.end();
      }
    }
    if (failure != null || tally.told.get()) {
      end(tally, failure);
    } else {
      goOn(tally);
    }
  }

  /** What is removed meanwhile counts as never there. */
  private void addSegment(Segment segment, MapTally sums) {
    if (!segment.tryLease()) {
      return;
    }
    try {
      // Behind that are at most records of units that were given up, and one that is on its way.
      long end = segment.end();
      Crc32c crc = new Crc32c();
      catalog.scan(
          segment.number(),
          (number, offset, record) -> {
            if (offset < end) {
              add(record, sums, crc);
            }
          });
    } finally {
      segment.release();
    }
  }

  private static void add(ByteBuffer record, MapTally sums, Crc32c crc) {
    UnitHeader header = UnitHeader.decode(record, 0, crc);
    AttemptTable.addTo(sums, header.attemptTable(record, 0));
  }

  private void end(Tally tally, @Nullable SluiceException failure) {
    underWay.set(null);
    tally.end(failure == null ? tally.sums : null, failure);
  }

  /** The disk does not answer: whoever waits, waits in vain. Any thread. */
  void stalled() {
    Tally waiting = underWay.get();
    if (waiting != null) {
      waiting.end(null, lost());
    }
  }

  private SluiceException lost() {
    return new SluiceException(
        ErrorCode.DATA_LOST, "disk " + disk + ": " + watch.health().problem());
  }

  /** One that is under way, and who waits for it. Its sums are its step's alone until it ends. */
  private final class Tally {
    private final Iterator<Segment> segments;
    private final SegmentStore.TallyCallback callback;
    private final MapTally sums;
    private final AtomicBoolean told = new AtomicBoolean();

    Tally(Iterator<Segment> segments, MapTally sums, SegmentStore.TallyCallback callback) {
      this.segments = segments;
      this.sums = sums;
      this.callback = callback;
    }

    /** Tells who waits, unless that was done. */
    void end(@Nullable MapTally tally, @Nullable SluiceException failure) {
      if (!told.compareAndSet(false, true)) {
        return;
      }
      try {
        callback.tallied(tally, failure);
      } catch (RuntimeException e) {
        // A thread's edge: the disk has other work.
        log.error("{}: a tally's callback failed", disk, e);
      }
    }
  }
}
