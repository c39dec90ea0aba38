package io.sluice.server.segment;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.cache.ReadCache;
import io.sluice.server.cache.ReadRange;
import io.sluice.server.cache.ReadTarget;
import io.sluice.server.disk.DiskWatch;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads of extents: each leases its segment until its callback. Thread-safe. */
final class SegmentReads {
  private static final Logger log = LoggerFactory.getLogger(SegmentReads.class);

  private final String disk;
  private final SegmentTable table;
  private final SegmentReader reader;
  private final ReadCache cache;
  private final DiskWatch watch;

  SegmentReads(
      String disk, SegmentTable table, SegmentReader reader, ReadCache cache, DiskWatch watch) {
    this.disk = disk;
    this.table = table;
    this.reader = reader;
    this.cache = cache;
    this.watch = watch;
  }

  void read(ExtentPart part, int offset, ReadTarget target, SegmentStore.ReadCallback callback) {
    Objects.checkFromIndexSize(offset - part.start(), target.length(), part.length());
    Extent extent = part.extent();
    Segment segment = table.find(extent.segment());
    if (segment == null || !segment.tryLease()) {
      end(callback, gone(extent));
    } else if (!watch.takesReads()) {
      segment.release();
      end(callback, lost(extent));
    } else {
      cache.read(
          reader.source(segment),
          range(segment, part, offset),
          target,
          failure -> {
            end(callback, failure);
            segment.release();
          });
    }
  }

  private static ReadRange range(Segment segment, ExtentPart part, int offset) {
    UnitEnds units = segment.units();
    long extent = part.extent().offset();
    return new ReadRange(
        extent + offset,
        extent + part.end(),
        units.startOf(extent),
        units.endOf(extent),
        part.isWhole());
  }

  private void end(SegmentStore.ReadCallback callback, @Nullable SluiceException failure) {
    try {
      callback.read(failure);
    } catch (RuntimeException e) {
      // A thread's edge: the lease has to end whatever the caller does.
      log.error("{}: a read's callback failed", disk, e);
    }
  }

  /** The disk does not answer: whoever waits for a read waits in vain. */
  void stalled() {
    cache.failWaiting(
        new SluiceException(ErrorCode.DATA_LOST, "disk " + disk + ": " + watch.health().problem()));
  }

  private SluiceException lost(Extent extent) {
    return new SluiceException(
        ErrorCode.DATA_LOST,
        "disk "
            + disk
            + ", segment "
            + extent.segment()
            + ", partition "
            + extent.partition()
            + ": "
            + watch.health().problem());
  }

  private SluiceException gone(Extent extent) {
    return new SluiceException(
        ErrorCode.UNKNOWN_SHUFFLE,
        "disk "
            + disk
            + ": segment "
            + extent.segment()
            + " of partition "
            + extent.partition()
            + " was removed");
  }
}
