package io.sluice.server.segment;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.server.catalog.RocksUnitCatalog;
import io.sluice.server.catalog.UnitCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskHealth;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.DiskQueue;
import io.sluice.server.disk.HealthRecord;
import io.sluice.server.disk.LocalDisk;
import io.sluice.server.disk.ThreadedDiskQueue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The segments of one disk, with a catalog beside them. */
public final class LocalSegmentStore implements SegmentStore {
  private static final Logger log = LoggerFactory.getLogger(LocalSegmentStore.class);

  private final Disk disk;
  private final UnitCatalog catalog;
  private final DiskQueue queue;
  private final SegmentFiles files;
  private final SegmentTable table;
  private final StagingPool staging;
  private final SegmentWriter writer;
  private final SegmentReader reader;
  private final HealthRecord health;
  private final Map<ShuffleKey, List<Extent>> recovered;
  private final RecoveryReport recovery;
  private final LongAdder payloadBytesWritten = new LongAdder();
  private final LongAdder unitBytesWritten = new LongAdder();
  private volatile boolean closed;

  private LocalSegmentStore(StoreParts parts, DiskOptions options, long incarnation, Clock clock) {
    disk = parts.disk();
    catalog = parts.catalog();
    queue = parts.queue();
    files = new SegmentFiles(disk, options);
    table =
        new SegmentTable(options.segmentSize(), new SegmentSweeper(disk, catalog, queue, files));
    staging = new StagingPool(options);
    writer =
        new SegmentWriter(
            disk, catalog, table, files.forWrites(), options.reservedSpace(), incarnation);
    reader = new SegmentReader(disk, files);
    health = new HealthRecord(disk.name(), clock);
    SegmentRecovery.Recovered found = new SegmentRecovery(disk, catalog, table).run();
    recovered = found.extents();
    recovery = found.report();
  }

  /**
   * Opens the store of a directory of this machine, with its RocksDB catalog and threads.
   *
   * @param disk belongs to the store from here, also if opening fails
   * @param incarnation of the server, already synced on the disk
   * @throws SluiceException CORRUPT_CATALOG, DISK_FAILED
   */
  public static LocalSegmentStore open(
      LocalDisk disk, DiskOptions options, long incarnation, Clock clock) {
    RocksUnitCatalog catalog;
    try {
      catalog = RocksUnitCatalog.open(disk.resolve("catalog"), options.catalogMemory());
    } catch (SluiceException e) {
      disk.close();
      throw e;
    }
    DiskQueue queue = new ThreadedDiskQueue("disk-" + disk.resolve("").getFileName(), options);
    return open(new StoreParts(disk, catalog, queue), options, incarnation, clock);
  }

  /**
   * Opens a store over any disk.
   *
   * @param parts belong to the store from here, also if opening fails
   */
  public static LocalSegmentStore open(
      StoreParts parts, DiskOptions options, long incarnation, Clock clock) {
    try {
      return new LocalSegmentStore(parts, options, incarnation, clock);
    } catch (SluiceException e) {
      parts.close();
      throw e;
    }
  }

  @Override
  public String name() {
    return disk.name();
  }

  @Override
  public Map<ShuffleKey, List<Extent>> recovered() {
    return Collections.unmodifiableMap(recovered);
  }

  /** What was found at open. */
  public RecoveryReport recovery() {
    return recovery;
  }

  @Override
  public @Nullable UnitBuilder tryStage(ShuffleKey shuffle, Runnable onAvailable) {
    if (closed) {
      throw closedFailure();
    }
    StagingBuffer buffer = staging.tryTake(onAvailable);
    return buffer == null ? null : new StagedUnit(buffer, table.stage(shuffle), this::endUnit);
  }

  private void endUnit(StagedUnit unit) {
    table.unstage(unit.target());
    staging.giveBack(unit.staging());
  }

  @Override
  public void write(UnitBuilder unit, WriteCallback callback) {
    StagedUnit staged = (StagedUnit) unit;
    staged.submit();
    if (!queue.write(() -> writeNow(staged, callback))) {
      finish(staged, callback, null, closedFailure());
    }
  }

  private void writeNow(StagedUnit unit, WriteCallback callback) {
    List<Extent> extents = null;
    SluiceException failure = null;
    try {
      extents = writeNow(unit);
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.UNKNOWN_SHUFFLE) {
        health.writeFailed(e);
      }
      failure = e;
    } catch (RuntimeException e) {
      // A thread's edge: the caller must hear of a bug too, or its blocks stay pinned for ever.
      failure = bug(e);
    }
    finish(unit, callback, extents, failure);
  }

  private List<Extent> writeNow(StagedUnit unit) {
    UnitHeader header = writer.append(unit);
    payloadBytesWritten.add(header.payloadLength());
    unitBytesWritten.add(header.unitLength());
    health.writeSucceeded();
    return unit.extents(header);
  }

  private SluiceException bug(RuntimeException e) {
    log.error("{}: broken invariant", name(), e);
    return new SluiceException(ErrorCode.INTERNAL_ERROR, "disk " + name() + ": " + e, e);
  }

  private void finish(
      StagedUnit unit,
      WriteCallback callback,
      @Nullable List<Extent> extents,
      @Nullable SluiceException failure) {
    try {
      callback.written(extents, failure);
    } catch (RuntimeException e) {
      log.error("{}: a write's callback failed", name(), e);
    }
    try {
      unit.recycle();
    } catch (RuntimeException e) {
      log.error("{}: a waiter for a staging buffer failed", name(), e);
    }
  }

  @Override
  public void read(Extent extent, long offset, ByteBuffer target, ReadCallback callback) {
    Objects.checkFromIndexSize(offset, target.remaining(), extent.length());
    Segment segment = lease(extent);
    if (segment == null) {
      if (!queue.read(() -> finish(callback, gone(extent)))) {
        finish(callback, gone(extent));
      }
    } else if (!queue.read(() -> readNow(segment, extent.offset() + offset, target, callback))) {
      segment.release();
      finish(callback, closed ? closedFailure() : tooManyReads());
    }
  }

  private @Nullable Segment lease(Extent extent) {
    Segment segment = table.find(extent.segment());
    return segment != null && segment.tryLease() ? segment : null;
  }

  private void readNow(Segment segment, long position, ByteBuffer target, ReadCallback callback) {
    SluiceException failure = null;
    try {
      reader.read(segment, position, target);
    } catch (SluiceException e) {
      failure = e;
    } catch (RuntimeException e) {
      failure = bug(e);
    }
    try {
      finish(callback, failure);
    } finally {
      segment.release();
    }
  }

  private void finish(ReadCallback callback, @Nullable SluiceException failure) {
    try {
      callback.read(failure);
    } catch (RuntimeException e) {
      log.error("{}: a read's callback failed", name(), e);
    }
  }

  private SluiceException gone(Extent extent) {
    return new SluiceException(
        ErrorCode.UNKNOWN_SHUFFLE,
        "disk "
            + name()
            + ": segment "
            + extent.segment()
            + " of partition "
            + extent.partition()
            + " was removed");
  }

  private SluiceException tooManyReads() {
    return new SluiceException(
        ErrorCode.TOO_MANY_STREAMS, "disk " + name() + ": too many reads are waiting");
  }

  private SluiceException closedFailure() {
    return new SluiceException(ErrorCode.SHUTTING_DOWN, "disk " + name() + " is closed");
  }

  @Override
  public void remove(ShuffleKey shuffle) {
    recovered.remove(shuffle);
    table.remove(shuffle);
  }

  @Override
  public DiskUsage usage() {
    long capacity = 0;
    long free = 0;
    boolean answers = true;
    try {
      capacity = disk.capacity();
      free = disk.free();
    } catch (IOException e) {
      answers = false;
    }
    return new DiskUsage(
        capacity,
        free,
        payloadBytesWritten.sum(),
        unitBytesWritten.sum() + catalog.bytesWritten(),
        reader.bytesRead(),
        disk.openFiles(),
        table.size(),
        answers && health.current().healthy());
  }

  @Override
  public DiskHealth health() {
    return health.current();
  }

  @Override
  public void onHealthChange(Runnable listener) {
    health.onChange(listener);
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    queue.close();
    files.close();
    try {
      catalog.close();
    } finally {
      disk.close();
    }
  }
}
