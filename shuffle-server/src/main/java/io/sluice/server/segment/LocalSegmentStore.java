package io.sluice.server.segment;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import io.sluice.server.cache.ReadCache;
import io.sluice.server.cache.ReadTarget;
import io.sluice.server.catalog.UnitCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskFence;
import io.sluice.server.disk.DiskHealth;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.DiskQueue;
import io.sluice.server.disk.DiskSentinel;
import io.sluice.server.disk.DiskSpace;
import io.sluice.server.disk.DiskWatch;
import io.sluice.server.disk.IoMeter;
import io.sluice.server.disk.LocalDisk;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The segments of one disk, with a catalog beside them. */
public final class LocalSegmentStore implements SegmentStore {
  private static final Logger log = LoggerFactory.getLogger(LocalSegmentStore.class);

  /** The catalog's folder in a data directory. */
  static final String CATALOG = "catalog";

  private final Disk disk;
  private final Tier tier;
  private final UnitCatalog catalog;
  private final DiskQueue queue;
  private final SegmentFiles files;
  private final SegmentSweeper sweeper;
  private final SegmentTable table;
  private final StagingPool staging;
  private final UnitWrites writes;
  private final SegmentReader reader;
  private final ReadCache cache;
  private final SegmentReads reads;
  private final UnitTallies tallies;
  private final SegmentSync syncs;
  private final DiskWatch watch;
  private final DiskSpace space;
  private final RoomForStarts startRoom;
  private final DiskOptions options;
  private final Map<ShuffleKey, List<Extent>> recovered;
  private final RecoveryReport recovery;
  private volatile boolean closed;

  private LocalSegmentStore(StoreParts parts, DiskOptions options, StoreTerms terms) {
    this.options = options;
    disk = parts.disk();
    tier = parts.tier();
    catalog = parts.catalog();
    queue = parts.queue();
    files = new SegmentFiles(disk, options);
    cache = new ReadCache(options.reads(), disk.name(), queue::read);
    watch = watch(terms);
    sweeper = new SegmentSweeper(disk, catalog, queue, terms.scheduler(), new Removals());
    table = new SegmentTable(options.segmentSize(), sweeper, terms.names());
    staging = new StagingPool(options);
    space = new DiskSpace(disk, queue, watch, terms.clock());
    startRoom = new RoomForStarts(disk, options, watch);
    SegmentWriter writer =
        new SegmentWriter(
            disk,
            catalog,
            table,
            files.forWrites(),
            options.reservedSpace(),
            terms.life().incarnation());
    writes = new UnitWrites(disk.name(), writer, queue, watch, space);
    reader = new SegmentReader(disk, files, watch);
    reads = new SegmentReads(disk.name(), table, reader, cache, watch);
    tallies = new UnitTallies(disk.name(), table, catalog, queue, watch);
    syncs = new SegmentSync(disk, table, catalog, queue, watch);
    SegmentRecovery.Recovered found =
        new SegmentRecovery(disk, catalog, table, terms.life().afterSeal()).run();
    recovered = found.extents();
    recovery = found.report();
  }

  private DiskWatch watch(StoreTerms terms) {
    IoMeter meter = new IoMeter(terms.clock());
    Scheduler scheduler = terms.scheduler();
    if (scheduler == null) {
      return new DiskWatch(new DiskFence(disk.name(), terms.clock(), 1), meter, null);
    }
    DiskFence fence = new DiskFence(disk.name(), terms.clock(), DiskFence.PROBES_MIN);
    DiskSentinel sentinel =
        new DiskSentinel(
            new DiskSentinel.Watched(disk, queue, fence, meter, catalog::probe),
            options.neededSpace(),
            scheduler,
            new Events());
    return new DiskWatch(fence, meter, sentinel);
  }

  private final class Events implements DiskSentinel.Events {
    @Override
    public void stalled() {
      reads.stalled();
      writes.stalled();
      tallies.stalled();
    }

    @Override
    public void healed() {
      try {
        space.renew();
      } finally {
        // Whoever waits is called by nothing else.
        staging.wakeAll();
      }
      sweeper.retry();
      startRoom.keep();
    }
  }

  private final class Removals implements SegmentSweeper.Owner {
    @Override
    public void forget(long segment) {
      files.forget(segment);
      cache.forget(segment);
    }

    @Override
    public void catalogFailed(SluiceException failure) {
      watch.writeFailed(failure);
    }

    /** A disk that is full, or does not work, is left alone. */
    @Override
    public void swept() {
      if (table.size() > 0 || !watch.takesWrites()) {
        return;
      }
      // It may have been full a moment ago.
      space.renew();
      if (space.known().free() > options.neededSpace()) {
        catalog.tidy();
      }
    }
  }

  /**
   * Opens the store of a directory of this machine, with its RocksDB catalog and threads, and
   * watches the disk: one that fails is fenced until it works again.
   *
   * @param disk belongs to the store from here, also if opening fails
   * @param tier what the disk is made of
   * @param scheduler for watching the disk
   * @throws SluiceException CORRUPT_CATALOG, DISK_FAILED
   */
  public static LocalSegmentStore openWatched(
      LocalDisk disk, Tier tier, DiskOptions options, StoreLife life, Scheduler scheduler) {
    LocalSegmentStore store =
        open(StoreParts.local(disk, tier, options), options, StoreTerms.watched(life, scheduler));
    store.startRoom.keep();
    return store;
  }

  /** The same without watching: a disk that fails is reported, and written to all the same. */
  public static LocalSegmentStore open(
      LocalDisk disk, DiskOptions options, long incarnation, Clock clock) {
    return open(StoreParts.local(disk, Tier.SSD, options), options, incarnation, clock);
  }

  /**
   * Opens a store over any disk, and watches it.
   *
   * @param parts belong to the store from here, also if opening fails
   */
  public static LocalSegmentStore openWatched(
      StoreParts parts, DiskOptions options, long incarnation, Scheduler scheduler) {
    return open(parts, options, StoreTerms.watched(StoreLife.of(incarnation), scheduler));
  }

  /**
   * The same where others may make files.
   *
   * @param names draws numbers of segments where somebody has taken the next ones; of a seed that
   *     nobody knows
   */
  public static LocalSegmentStore openWatched(
      StoreParts parts,
      DiskOptions options,
      long incarnation,
      Scheduler scheduler,
      SplittableRandom names) {
    return open(parts, options, StoreTerms.watched(StoreLife.of(incarnation), scheduler, names));
  }

  /** The same without watching: a disk that fails is reported, and written to all the same. */
  public static LocalSegmentStore open(
      StoreParts parts, DiskOptions options, long incarnation, Clock clock) {
    return open(parts, options, StoreLife.of(incarnation), clock);
  }

  static LocalSegmentStore open(
      StoreParts parts, DiskOptions options, StoreLife life, Clock clock) {
    return open(parts, options, StoreTerms.unwatched(life, clock));
  }

  private static LocalSegmentStore open(StoreParts parts, DiskOptions options, StoreTerms terms) {
    try {
      LocalSegmentStore store = new LocalSegmentStore(parts, options, terms);
      // Not before: what comes of it may set timers going, which use the whole store.
      store.space.begin();
      return store;
    } catch (RuntimeException e) {
      // After a bug, too: a directory that stays locked cannot be tried again.
      parts.close();
      throw e;
    }
  }

  @Override
  public String name() {
    return disk.name();
  }

  @Override
  public Tier tier() {
    return tier;
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
    StagingBuffer buffer = staging.tryTake(onAvailable, watch::takesWrites);
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
    writes.add(staged, callback);
  }

  @Override
  public void read(ExtentPart part, int offset, ReadTarget target, ReadCallback callback) {
    reads.read(part, offset, target, callback);
  }

  @Override
  public void tally(ShuffleKey shuffle, int maxAttempts, TallyCallback callback) {
    if (closed) {
      callback.tallied(null, closedFailure());
    } else {
      tallies.tally(shuffle, maxAttempts, callback);
    }
  }

  private SluiceException closedFailure() {
    return new SluiceException(ErrorCode.SHUTTING_DOWN, "disk " + name() + " is closed");
  }

  @Override
  public UnitRange unitOf(Extent extent) {
    Segment segment = table.find(extent.segment());
    if (segment == null) {
      // It was removed: nothing is of it any more.
      return UnitRange.ALL;
    }
    UnitEnds units = segment.units();
    return new UnitRange(units.startOf(extent.offset()), units.endOf(extent.offset()));
  }

  @Override
  public void remove(ShuffleKey shuffle) {
    recovered.remove(shuffle);
    table.remove(shuffle);
  }

  @Override
  public String fileSystem() {
    return disk.fileSystem();
  }

  @Override
  public DiskUsage usage() {
    DiskSpace.Room room = space.known();
    return new DiskUsage(
        room.capacity(),
        room.free(),
        writes.payloadBytes(),
        writes.unitBytes() + catalog.bytesWritten(),
        reader.bytesRead(),
        disk.openFiles(),
        table.size(),
        room.answers() && watch.health().healthy());
  }

  @Override
  public DiskHealth health() {
    return watch.health();
  }

  @Override
  public int unitBytes() {
    return options.unitSize();
  }

  @Override
  public long comfortableSpace() {
    return options.comfortableSpace();
  }

  @Override
  public int firstAtHand(List<ExtentPart> parts) {
    List<ReadCache.Place> places = new ArrayList<>(parts.size());
    for (ExtentPart part : parts) {
      Extent extent = part.extent();
      places.add(new ReadCache.Place(extent.segment(), extent.offset() + part.start()));
    }
    return cache.firstAtHand(places);
  }

  @Override
  public long readerSpread() {
    return options.reads().readerSpread();
  }

  @Override
  public DiskActivity activity() {
    return new DiskActivity(
        watch.io(), cache.activity(), watch.fences(), sweeper.waiting(), staging.inUse());
  }

  @Override
  public void onHealthChange(Runnable listener) {
    watch.onHealthChange(listener);
  }

  @Override
  public int lostUnits() {
    return recovery.lostUnits() + recovery.unreadFiles();
  }

  @Override
  public CompletableFuture<Void> sync() {
    return syncs.begin(startRoom::keepIfWatched);
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    watch.close();
    if (watch.health().healthy()) {
      // The next start counts as lost what is unlinked and still in the catalog.
      sweeper.retry();
    }
    sweeper.close();
    queue.close();
    cache.close();
    if (queue.isStuck()) {
      // Closing a file waits for those who use it, and a catalog that is used must not go.
      writes.stalled();
      tallies.stalled();
      log.error("{}: closed although accesses do not end; they do with the process", name());
      disk.keep();
      return;
    }
    files.close();
    try {
      catalog.close();
    } finally {
      disk.close();
    }
  }
}
