package io.sluice.server.segment;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.disk.DiskQueue;
import io.sluice.server.disk.DiskSpace;
import io.sluice.server.disk.DiskWatch;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out the writes of units on the disk's writers, and gives up those that do not return:
 * their callers have the blocks, for other disks. A staging buffer goes to the next unit only when
 * its write has returned, given up or not, since the kernel may read from it until then.
 * Thread-safe.
 */
final class UnitWrites {
  private static final Logger log = LoggerFactory.getLogger(UnitWrites.class);

  private final String disk;
  private final SegmentWriter writer;
  private final DiskQueue queue;
  private final DiskWatch watch;
  private final DiskSpace space;
  // As many as there are staging buffers.
  private final Set<UnitWrite> underWay = ConcurrentHashMap.newKeySet();
  private final LongAdder payloadBytes = new LongAdder();
  private final LongAdder unitBytes = new LongAdder();

  UnitWrites(String disk, SegmentWriter writer, DiskQueue queue, DiskWatch watch, DiskSpace space) {
    this.disk = disk;
    this.writer = writer;
    this.queue = queue;
    this.watch = watch;
    this.space = space;
  }

  /** Takes over a unit that was submitted. */
  void add(StagedUnit unit, SegmentStore.WriteCallback callback) {
    UnitWrite write = new UnitWrite(unit, callback);
    underWay.add(write);
    if (!queue.write(() -> writeNow(write))) {
      end(write, null, closed());
      recycle(unit);
    }
  }

  private SluiceException closed() {
    return new SluiceException(ErrorCode.SHUTTING_DOWN, "disk " + disk + " is closed");
  }

  private void writeNow(UnitWrite write) {
    if (write.isGivenUp()) {
      end(write, null, null);
      recycle(write.unit());
      return;
    }
    List<Extent> extents = null;
    SluiceException failure = null;
    try (UnitAccess access = new UnitAccess(watch, why -> failed(write, why))) {
      extents = append(write, access);
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.UNKNOWN_SHUFFLE) {
        failed(write, e);
      }
      failure = e;
    } catch (RuntimeException e) {
      // A thread's edge: the caller must hear of a bug too, or its blocks stay pinned for ever.
      failure = bug(e);
    }
    end(write, extents, failure);
    try {
      // Before the buffer goes to another unit: so never more units than buffers are missing in it.
      space.renew();
    } finally {
      recycle(write.unit());
    }
  }

  private List<Extent> append(UnitWrite write, UnitAccess access) {
    UnitHeader header = writer.append(write, access);
    payloadBytes.add(header.payloadLength());
    unitBytes.add(header.unitLength());
    watch.writeSucceeded();
    return write.unit().extents(header);
  }

  /** Of one that was given up the fence knows, and its caller. */
  private void failed(UnitWrite write, SluiceException why) {
    if (!write.isGivenUp()) {
      watch.writeFailed(why);
      giveUp(write, why);
    }
  }

  private void giveUp(UnitWrite write, SluiceException why) {
    try {
      write.giveUp(why);
    } catch (RuntimeException e) {
      log.error("{}: a write's callback failed", disk, e);
    }
  }

  private SluiceException bug(RuntimeException e) {
    log.error("{}: broken invariant", disk, e);
    return new SluiceException(ErrorCode.INTERNAL_ERROR, "disk " + disk + ": " + e, e);
  }

  private void end(
      UnitWrite write, @Nullable List<Extent> extents, @Nullable SluiceException failure) {
    underWay.remove(write);
    try {
      write.end(extents, failure);
    } catch (RuntimeException e) {
      log.error("{}: a write's callback failed", disk, e);
    }
  }

  private void recycle(StagedUnit unit) {
    try {
      unit.recycle();
    } catch (RuntimeException e) {
      log.error("{}: a waiter for a staging buffer failed", disk, e);
    }
  }

  /** The disk does not answer: whoever waits for a write waits in vain. Any thread. */
  void stalled() {
    SluiceException why =
        new SluiceException(
            ErrorCode.DISK_FAILED, "disk " + disk + " does not answer: unit was not written");
    underWay.forEach(write -> giveUp(write, why));
  }

  /** Of blocks in units that were written. */
  long payloadBytes() {
    return payloadBytes.sum();
  }

  /** Of these units with headers and padding. */
  long unitBytes() {
    return unitBytes.sum();
  }
}
