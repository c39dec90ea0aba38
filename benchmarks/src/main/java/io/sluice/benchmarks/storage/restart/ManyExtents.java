package io.sluice.benchmarks.storage.restart;

import io.sluice.benchmarks.storage.load.Digest;
import io.sluice.benchmarks.storage.load.Readers;
import io.sluice.benchmarks.storage.load.StoredBlocks;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Clock;
import io.sluice.common.time.ThreadScheduler;
import io.sluice.server.CoreSeams;
import io.sluice.server.CoreSettings;
import io.sluice.server.ServerCore;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.LocalDisk;
import io.sluice.server.segment.LocalSegmentStore;
import io.sluice.server.segment.StoreLife;
import io.sluice.server.segment.Tier;
import io.sluice.transport.ServerIdentity;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A data directory with many extents: filled once, then served from, as a server does it. */
final class ManyExtents {
  private static final Logger log = LoggerFactory.getLogger(ManyExtents.class);
  private static final double NANOS = 1e9;
  private static final double MILLIS = 1e3;
  private static final int INCARNATION = 1;
  private static final ServerIdentity NEXT_LIFE =
      new ServerIdentity(ServerId.of(1, 1), INCARNATION + 1);
  // The smallest in which all connections have their seeds.
  private static final long ARENA = 64 << 20;
  private static final int READ_BUFFERS = 16;

  private final Path directory;
  private final RestartShape shape;
  private final ServerConfig config =
      ServerConfig.from(
          new ConfigReader(List.of(ServerConfig.SECTION)).values("the benchmark", Map.of()).read());

  ManyExtents(Path directory, RestartShape shape) {
    this.directory = directory;
    this.shape = shape;
  }

  private DiskOptions options() {
    DiskOptions options = DiskOptions.ssd();
    long segment = Math.max(shape.segmentBytes(), 2L * options.unitSize());
    return options.withSizes(options.unitSize(), segment);
  }

  private LocalSegmentStore open(long incarnation, ThreadScheduler timers) {
    return LocalSegmentStore.openWatched(
        LocalDisk.open(directory), Tier.SSD, options(), StoreLife.of(incarnation), timers);
  }

  /**
   * Writes all extents; the directory holds nothing yet.
   *
   * @param written runs before the store is closed, which is as far as a process gets that is
   *     killed
   */
  void fill(Runnable written) throws InterruptedException {
    try (ThreadScheduler timers = timers();
        LocalSegmentStore store = open(INCARNATION, timers)) {
      new StoredBlocks(shape.plan()).write(store, shape.extentsPerUnit());
      written.run();
    }
  }

  /**
   * Starts a server's core over what is there and fetches one partition.
   *
   * @param served runs before the store is closed, as {@link #fill}'s
   * @throws IllegalStateException if extents are missing, or the partition is not what was written
   */
  void serve(int partition, Consumer<RestartFigures> served) throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    long heap = liveHeap();
    try (ThreadScheduler timers = timers()) {
      long began = now();
      try (LocalSegmentStore store = open(INCARNATION + 1, timers)) {
        long opened = now();
        ServerCore core =
            new ServerCore(
                settings(), new CoreSeams(timers, threads, () -> NEXT_LIFE, List.of(store)));
        long made = now();
        Digest read = fetch(core, partition);
        RestartFigures.Seconds seconds =
            new RestartFigures.Seconds(
                (opened - began) / NANOS,
                (made - opened) / NANOS,
                (now() - made) / NANOS,
                ManagementFactory.getRuntimeMXBean().getUptime() / MILLIS);
        check(store, read, partition);
        served.accept(
            new RestartFigures(
                seconds,
                store.recovery().units(),
                store.recovery().extents(),
                liveHeap() - heap,
                core.tables().used(),
                catalogBytes()));
      }
    } finally {
      threads.shutdown();
    }
  }

  private CoreSettings settings() {
    return CoreSettings.of(
        config, new CoreSettings.Memory(ARENA, Runtime.getRuntime().maxMemory() / 2), READ_BUFFERS);
  }

  private Digest fetch(ServerCore core, int partition) throws Exception {
    ExecutorService loop = Executors.newSingleThreadExecutor();
    ExecutorService client = Executors.newSingleThreadExecutor();
    try {
      Readers readers = Readers.ofOne(shape.plan(), partition);
      readers.connect(core, loop, client);
      readers.start(INCARNATION, 1).get();
      readers.disconnect();
      return readers.digest();
    } finally {
      loop.shutdown();
      client.shutdown();
    }
  }

  private void check(LocalSegmentStore store, Digest read, int partition) {
    Digest written = new StoredBlocks(shape.plan()).of(partition);
    if (store.recovery().extents() != shape.extents() || !read.matches(written)) {
      throw new IllegalStateException(
          store.recovery() + "; partition " + partition + " is " + read + ", not " + written);
    }
  }

  private long catalogBytes() throws IOException {
    long bytes = 0;
    try (Stream<Path> files = Files.list(directory.resolve("catalog"))) {
      for (Path file : files.toList()) {
        bytes += Files.size(file);
      }
    }
    return bytes;
  }

  /** After a collection: nothing else says what is live. */
  private static long liveHeap() {
    ManagementFactory.getMemoryMXBean().gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static ThreadScheduler timers() {
    return new ThreadScheduler(
        "bench-timer", Clock.system(), (thread, e) -> log.error("a timer's task failed", e));
  }

  private static long now() {
    return Clock.system().nanoTime();
  }
}
