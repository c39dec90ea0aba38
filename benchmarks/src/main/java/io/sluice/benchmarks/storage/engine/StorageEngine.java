package io.sluice.benchmarks.storage.engine;

import io.sluice.benchmarks.storage.Phase;
import io.sluice.benchmarks.storage.PhaseFigures;
import io.sluice.benchmarks.storage.StorageCase;
import io.sluice.benchmarks.storage.disk.DiskLoad;
import io.sluice.benchmarks.storage.load.BlockPlan;
import io.sluice.benchmarks.storage.load.Digest;
import io.sluice.benchmarks.storage.load.Readers;
import io.sluice.benchmarks.storage.load.Writers;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.CoreSeams;
import io.sluice.server.CoreSettings;
import io.sluice.server.ServerCore;
import io.sluice.server.config.MemoryPlan;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.disk.DiskClass;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.segment.SegmentStore;
import io.sluice.transport.ServerIdentity;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Runs phases of one case on one site. A phase that writes makes a round of shuffles; the round
 * before it is removed when the phase is over, having been read by a mixed one. One thread's.
 */
public final class StorageEngine {
  /** A server of 1 GiB has 32 MiB of read buffers, a 32nd, and 685 MiB for blocks. */
  private static final int ARENA_PER_READ_BYTE = 16;

  /** A server of 800 MiB with one flash disk has 512 MiB for blocks and 49 for this. */
  private static final double FLASH_CACHE_SHARE = 3.0 / 32;

  /** A server of 1 GiB with one spindle has 128 MiB for this, an eighth, and half for blocks. */
  private static final double SPINDLE_CACHE_SHARE = 1.0 / 4;

  private static final int READ_BUFFERS_MIN = 16;

  /** Readers that share a connection where many read the same, as an executor's tasks do. */
  private static final int TASKS_PER_PROCESS = 10;

  private final StorageCase shape;
  private final Site site;
  private final ServerConfig config;
  private final CoreSettings settings;
  private long incarnation;
  private int rounds;
  private @Nullable Round stored;

  /** Shuffles that are on the disk, and what is in them. */
  private record Round(BlockPlan plan, Digest digest) {}

  public StorageEngine(StorageCase shape, Site site) {
    this.shape = shape;
    this.site = site;
    this.config = config(shape);
    long readBuffers = shape.arena() / ARENA_PER_READ_BYTE / MemoryPlan.READ_BUFFER;
    this.settings =
        CoreSettings.of(
            config,
            new CoreSettings.Memory(shape.arena(), Runtime.getRuntime().maxMemory() / 4),
            (int) Math.max(READ_BUFFERS_MIN, readBuffers));
  }

  private static ServerConfig config(StorageCase shape) {
    return ServerConfig.from(
        new ConfigReader(List.of(ServerConfig.SECTION))
            .values("the benchmark", Map.of(ServerConfig.UNIT.name(), shape.unit() / 1024 + "k"))
            .read());
  }

  /** How a disk is used in a case. */
  public static DiskOptions options(StorageCase shape, DiskClass disk) {
    return options(config(shape), shape, disk);
  }

  /** With as much memory for what was read as a server with such an arena has. */
  private static DiskOptions options(ServerConfig config, StorageCase shape, DiskClass disk) {
    DiskOptions options = config.storage().diskOptions(disk);
    double share = disk == DiskClass.HDD ? SPINDLE_CACHE_SHARE : FLASH_CACHE_SHARE;
    return options.withReads(options.reads().withCache((long) (shape.arena() * share)));
  }

  /** Runs a phase; reading needs a phase that wrote before it. */
  public PhaseFigures run(Phase phase)
      throws PhaseFailedException, IOException, InterruptedException {
    if (phase == Phase.write) {
      discard();
    }
    incarnation++;
    Measured measured;
    try (SegmentStore store = site.open(options(config, shape, site.disk()), incarnation)) {
      measured = explained(phase, store);
    }
    Round written = measured.written;
    if (written != null) {
      stored = written;
    }
    return measured.figures(site.reading().storageBytes());
  }

  /** A disk that takes no more shows first as memory that is not granted: says so. */
  private Measured explained(Phase phase, SegmentStore store)
      throws PhaseFailedException, IOException, InterruptedException {
    try {
      return run(phase, store);
    } catch (IllegalStateException | SluiceException failed) {
      String problem = store.health().problem();
      if (problem == null) {
        throw failed;
      }
      throw new PhaseFailedException("the disk failed: " + problem, failed);
    }
  }

  private Measured run(Phase phase, SegmentStore store)
      throws PhaseFailedException, IOException, InterruptedException {
    ServerIdentity current = new ServerIdentity(ServerId.of(1, 1), incarnation);
    ServerCore core =
        new ServerCore(
            settings,
            new CoreSeams(site.scheduler(), site.flushing(), () -> current, List.of(store)));
    // As a server has that has run for a while.
    core.arena().preallocate();
    Round before = stored;
    Writers writers = phase.writes() ? connectWriters(core) : null;
    Readers readers = phase.reads() ? connectReaders(phase, core, before) : null;
    Site.Reading begin = site.reading();
    CompletableFuture<Void> read =
        readers == null
            ? CompletableFuture.completedFuture(null)
            : readers.start(incarnation, shape.readers());
    long pushed = writers == null ? 0 : write(core, writers);
    site.await(read);
    if (pushed > 0) {
      site.sync();
    }
    Site.Reading end = site.reading();
    long fetched = 0;
    if (readers != null && before != null) {
      fetched = check(phase, readers, before.digest);
    }
    if (phase == Phase.mixed && before != null) {
      remove(core, before.plan);
    }
    Round written = writers == null ? null : new Round(shape.plan(rounds), writers.digest());
    return new Measured(begin, end, pushed, fetched, written);
  }

  private Writers connectWriters(ServerCore core) {
    rounds++;
    Writers writers = new Writers(shape.plan(rounds));
    for (int i = 0; i < shape.writers(); i++) {
      writers.connect(core, site.loop(i), site.writing());
    }
    return writers;
  }

  private Readers connectReaders(Phase phase, ServerCore core, @Nullable Round before) {
    if (before == null) {
      throw new IllegalStateException("nothing was written that could be read");
    }
    boolean shared = phase == Phase.shared;
    Readers readers =
        switch (phase) {
          case shared -> Readers.sharing(before.plan, shape.readers());
          case ranges -> Readers.ofRanges(before.plan, shape.ranges());
          case write, mixed, read -> Readers.ofAll(before.plan);
        };
    int connections =
        shared ? Math.max(site.loops(), shape.readers() / TASKS_PER_PROCESS) : site.loops();
    for (int i = 0; i < connections; i++) {
      readers.connect(core, site.loop(i), site.client(i));
    }
    return readers;
  }

  /** Pushes everything and has it all written; returns how many bytes that is. */
  private long write(ServerCore core, Writers writers)
      throws PhaseFailedException, InterruptedException {
    site.await(writers.start(incarnation));
    writers.disconnect();
    if (!site.await(core.drain())) {
      throw new PhaseFailedException("the disk did not take everything; see the log");
    }
    return writers.digest().bytes();
  }

  /** Returns how many bytes were fetched; where all fetch the same, by each. */
  private long check(Phase phase, Readers readers, Digest expected) throws PhaseFailedException {
    readers.disconnect();
    if (phase == Phase.shared && shape.partitions() * shape.shuffles() == 1) {
      for (Digest reader : readers.fetched()) {
        check(reader, expected);
      }
    }
    Digest read = readers.digest();
    int times = phase == Phase.shared ? shape.readers() : 1;
    check(read, expected.times(times));
    return read.bytes() / times;
  }

  private static void check(Digest read, Digest expected) throws PhaseFailedException {
    if (!read.matches(expected)) {
      throw new PhaseFailedException(
          "what was read is not what was written: " + read + " instead of " + expected);
    }
  }

  private static void remove(ServerCore core, BlockPlan plan) {
    for (ShuffleKey shuffle : plan.keys()) {
      core.shuffles().remove(shuffle);
    }
  }

  /** Removes what is on the disk. */
  public void discard() {
    Round round = stored;
    if (round != null) {
      incarnation++;
      try (SegmentStore store = site.open(options(config, shape, site.disk()), incarnation)) {
        round.plan.keys().forEach(store::remove);
      }
      stored = null;
    }
  }

  private record Measured(
      Site.Reading begin, Site.Reading end, long pushed, long fetched, @Nullable Round written) {

    /**
     * @param storageBytes when the store was closed: what the catalog wrote then is of this phase
     */
    PhaseFigures figures(long storageBytes) {
      double client = end.clientCpuSeconds() - begin.clientCpuSeconds();
      return new PhaseFigures(
          pushed + fetched,
          end.seconds() - begin.seconds(),
          end.cpuSeconds() - begin.cpuSeconds() - client,
          client,
          DiskLoad.between(begin.queueSeconds(), end.queueSeconds()),
          storageBytes - begin.storageBytes(),
          pushed,
          end.access().since(begin.access()));
    }
  }
}
