package io.sluice.benchmarks.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmarks.storage.load.BlockPlan;
import io.sluice.benchmarks.storage.load.Digest;
import io.sluice.benchmarks.storage.load.Readers;
import io.sluice.benchmarks.storage.load.Writers;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.id.ApplicationId;
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
import io.sluice.server.segment.SegmentStore;
import io.sluice.transport.ServerIdentity;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Shuffles of 10,000 partitions come and go on four disks; then nothing of them is left: no memory,
 * no table, no file, no handle, no record. Two rounds of five shuffles; a hundred, which take
 * minutes, with {@code -Pchaos}.
 */
class ChurnTest {
  private static final int ROUNDS = Integer.getInteger("sluice.churn.rounds", 2);
  private static final int WARM_UPS = Math.max(1, ROUNDS / 5);
  private static final int SHUFFLES = 5;
  private static final int PARTITIONS = 10_000;
  private static final int DISKS = 4;
  private static final long MIB = 1 << 20;
  private static final long ARENA = 64 * MIB;
  private static final long BYTES = 192 * MIB;
  private static final long HEAP_SLACK = 24 * MIB;
  // Pools make buffers when they are asked for, more the more happens at a time. In the eighty
  // rounds of the long form it is 205 KiB lost in each.
  private static final long DIRECT_SLACK = 16 * MIB;
  // Files of catalogs, which come and go by themselves.
  private static final int HANDLES_SLACK = 8 * DISKS;
  // What is not worth tidying, and what RocksDB says of itself. The short form records hardly more.
  private static final long CATALOG_SLACK = DISKS * MIB / 2;
  private static final int PATIENCE_SECONDS = 60;
  private static final ServerIdentity IDENTITY = new ServerIdentity(ServerId.of(1, 1), 1);

  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path directory;

  private final List<LocalSegmentStore> stores = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<ExecutorService> loops = new ArrayList<>();
  private final List<ExecutorService> clients = new ArrayList<>();
  private final ThreadScheduler timers =
      new ThreadScheduler(
          "churn-timer",
          Clock.system(),
          (thread, failure) -> {
            throw new AssertionError(failure);
          });

  @BeforeEach
  void open() {
    for (int i = 0; i < DISKS; i++) {
      stores.add(
          LocalSegmentStore.open(
              LocalDisk.open(directory.resolve("disk" + i)),
              DiskOptions.ssd().withSizes((int) MIB * 4, 64 * MIB),
              1,
              Clock.system()));
      loops.add(Executors.newSingleThreadExecutor());
      clients.add(Executors.newSingleThreadExecutor());
    }
  }

  @AfterEach
  void close() {
    stores.forEach(LocalSegmentStore::close);
    loops.forEach(ExecutorService::shutdownNow);
    clients.forEach(ExecutorService::shutdownNow);
    threads.shutdownNow();
    timers.close();
  }

  @Test
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  void whatComesAndGoesLeavesNothing() throws Exception {
    ServerCore core = core();
    int handles = openHandles();
    long catalogs = catalogBytes();
    print("at first");
    for (int i = 1; i <= WARM_UPS; i++) {
      round(core, i);
    }
    awaitUnlinked();
    print("warm");
    long heap = usedHeap();
    long direct = directMemory();
    long all = allHandles();
    for (int i = WARM_UPS + 1; i <= ROUNDS; i++) {
      round(core, i);
      if (i % 10 == 0) {
        print("after round " + i);
      }
    }

    awaitUnlinked();
    print("at the end");
    assertThat(core.shuffles().all()).isEmpty();
    assertThat(core.arena().chunkBytes()).as("bytes in chunks").isZero();
    assertThat(core.arena().budget().free() + core.credit().limits().reserveBytes())
        .as("free but for the seeds")
        .isEqualTo(ARENA);
    assertThat(core.tables().used()).as("heap of tables").isZero();
    assertThat(core.quotas().used()).as("bytes on quotas").isZero();
    assertThat(core.readBuffers().inUse()).as("read buffers").isZero();
    assertThat(stores).as("staged").allMatch(store -> store.activity().staged() == 0);
    assertThat(openHandles()).as("open segment files").isEqualTo(handles);
    assertThat(usedHeap()).as("heap").isLessThan(heap + HEAP_SLACK);
    assertThat(directMemory()).as("direct memory").isLessThan(direct + DIRECT_SLACK);
    assertThat(allHandles()).as("handles of whatever kind").isLessThan(all + HANDLES_SLACK);
    for (LocalSegmentStore store : stores) {
      store.close();
    }
    assertThat(catalogBytes()).as("bytes of catalogs").isLessThan(catalogs + CATALOG_SLACK);
    assertRecordsGone();
  }

  private void print(String when) throws IOException {
    System.out.printf(
        Locale.ROOT,
        "%s: KiB of heap %d, direct memory %d, catalogs %d; handles %d%n",
        when,
        usedHeap() / 1024,
        directMemory() / 1024,
        catalogBytes() / 1024,
        allHandles());
  }

  private ServerCore core() {
    ServerConfig config = ServerConfig.from(new ConfigReader(List.of(ServerConfig.SECTION)).read());
    return new ServerCore(
        CoreSettings.of(config, new CoreSettings.Memory(ARENA, 256 * MIB), 64),
        new CoreSeams(timers, threads, () -> IDENTITY, List.<SegmentStore>copyOf(stores)));
  }

  /** Pushes, reads and removes a few shuffles of an application. */
  private void round(ServerCore core, int number) throws Exception {
    BlockPlan plan = BlockPlan.of(number, SHUFFLES, PARTITIONS, BYTES, BYTES / 40);
    Writers writers = new Writers(plan);
    Readers readers = Readers.ofAll(plan);
    long flushedBefore = core.stats().flushedBytes();
    for (int i = 0; i < DISKS / 2; i++) {
      writers.connect(core, loops.get(i), Runnable::run);
      readers.connect(core, loops.get(DISKS / 2 + i), clients.get(i));
    }
    writers.start(1).get();
    writers.disconnect();
    readers.start(1, 8).get();
    readers.disconnect();
    Digest read = readers.digest();
    assertThat(read.matches(writers.digest())).as("%s of round %d", read, number).isTrue();
    assertThat(core.stats().flushedBytes() - flushedBefore)
        .as("much went to disk")
        .isGreaterThan(BYTES / 3);
    // Half of them one by one, the rest with their application.
    plan.keys().subList(0, SHUFFLES / 2).forEach(core.shuffles()::remove);
    ApplicationId application = plan.keys().get(0).application();
    core.shuffles().remove(application);
    for (ExecutorService loop : loops) {
      loop.submit(() -> {}).get();
    }
  }

  /** Segment files go in the background. */
  private void awaitUnlinked() throws IOException, InterruptedException {
    try (WatchService changes = directory.getFileSystem().newWatchService()) {
      for (int i = 0; i < DISKS; i++) {
        segments(i).register(changes, StandardWatchEventKinds.ENTRY_DELETE);
      }
      while (segmentFiles() > 0) {
        WatchKey change = changes.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(change).as("segments are still there").isNotNull();
        change.pollEvents();
        change.reset();
      }
    }
  }

  private Path segments(int disk) {
    return directory.resolve("disk" + disk).resolve("segments");
  }

  private long segmentFiles() throws IOException {
    long count = 0;
    for (int i = 0; i < DISKS; i++) {
      try (Stream<Path> files = Files.list(segments(i))) {
        count += files.count();
      }
    }
    return count;
  }

  private void assertRecordsGone() {
    for (int i = 0; i < DISKS; i++) {
      try (LocalSegmentStore again =
          LocalSegmentStore.open(
              LocalDisk.open(directory.resolve("disk" + i)),
              DiskOptions.ssd(),
              2,
              Clock.system())) {
        assertThat(again.recovered()).isEmpty();
        assertThat(again.recovery().lostUnits()).isZero();
      }
    }
  }

  private long catalogBytes() throws IOException {
    long bytes = 0;
    for (int i = 0; i < DISKS; i++) {
      try (Stream<Path> files = Files.list(directory.resolve("disk" + i).resolve("catalog"))) {
        bytes += files.mapToLong(file -> file.toFile().length()).sum();
      }
    }
    return bytes;
  }

  /** Handles on segment files. */
  private int openHandles() throws IOException {
    int open = 0;
    try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
      for (Path link : links.toList()) {
        open += isSegment(link) ? 1 : 0;
      }
    }
    return open;
  }

  private boolean isSegment(Path link) {
    try {
      Path target = Files.readSymbolicLink(link);
      return target.startsWith(directory) && target.toString().contains("segments");
    } catch (IOException closedMeanwhile) {
      return false;
    }
  }

  private static long allHandles() throws IOException {
    try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
      return links.count();
    }
  }

  private static long directMemory() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }

  private static long usedHeap() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
