package io.sluice.benchmarks.storage.engine;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.benchmarks.storage.disk.AccessCounts;
import io.sluice.benchmarks.storage.disk.CountingDisk;
import io.sluice.benchmarks.storage.disk.DiskTurn;
import io.sluice.benchmarks.storage.disk.TurnDisk;
import io.sluice.benchmarks.storage.load.ClientWork;
import io.sluice.cli.process.ProcessUsage;
import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import io.sluice.common.time.ThreadScheduler;
import io.sluice.server.catalog.RocksUnitCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskClass;
import io.sluice.server.disk.DiskFile;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.LocalDisk;
import io.sluice.server.disk.ThreadedDiskQueue;
import io.sluice.server.segment.LocalSegmentStore;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.StoreParts;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This machine: one thread for each event loop and each client that reads, one to flush, one timer,
 * and the disk's own; a directory. The process is nobody else's, so that its CPU time is the
 * engine's.
 */
final class MachineSite implements Site {
  private static final Logger log = LoggerFactory.getLogger(MachineSite.class);
  private static final double NANOS = 1e9;
  private static final long NOT_STARTED = -1;

  private final Path directory;
  private final DiskTurn turn;
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final OperatingSystemMXBean system =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private final ThreadScheduler scheduler =
      new ThreadScheduler(
          "bench-timer", Clock.system(), (thread, e) -> log.error("a timer's task failed", e));
  private final ExecutorService flushing = Executors.newSingleThreadExecutor(named("bench-flush"));
  private final List<ExecutorService> loops = new ArrayList<>();
  private final List<ExecutorService> clients = new ArrayList<>();
  private final List<AtomicLong> clientThreads = new ArrayList<>();
  private final LongAdder writingNanos = new LongAdder();
  // Of the disk that is open, and of those before it.
  private @Nullable CountingDisk disk;
  private AccessCounts before = AccessCounts.NONE;

  /**
   * @param turn when files may be read and written, and clients work
   */
  MachineSite(Path directory, DiskTurn turn) {
    this.directory = directory;
    this.turn = turn;
    int processors = Math.min(8, Runtime.getRuntime().availableProcessors());
    for (int i = 0; i < processors; i++) {
      loops.add(Executors.newSingleThreadExecutor(named("bench-loop-" + i)));
    }
  }

  private static ThreadFactory named(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  @Override
  public Scheduler scheduler() {
    return scheduler;
  }

  @Override
  public Executor flushing() {
    return flushing;
  }

  @Override
  public int loops() {
    return loops.size();
  }

  @Override
  public Executor loop(int connection) {
    return loops.get(connection % loops.size());
  }

  @Override
  public Executor client(int connection) {
    while (clients.size() <= connection) {
      AtomicLong id = new AtomicLong(NOT_STARTED);
      String name = "bench-client-" + clients.size();
      ExecutorService client = Executors.newSingleThreadExecutor(named(name));
      client.execute(() -> id.set(Thread.currentThread().getId()));
      clients.add(client);
      clientThreads.add(id);
    }
    ExecutorService client = clients.get(connection);
    return task ->
        client.execute(
            () -> {
              turn.await();
              task.run();
            });
  }

  @Override
  public ClientWork writing() {
    return this::write;
  }

  private void write(Runnable work) {
    turn.await();
    long before = threads.getCurrentThreadCpuTime();
    try {
      work.run();
    } finally {
      writingNanos.add(threads.getCurrentThreadCpuTime() - before);
    }
  }

  @Override
  public DiskClass disk() {
    return DiskClass.SSD;
  }

  @Override
  public SegmentStore open(DiskOptions options, long incarnation) {
    if (disk != null) {
      before = before.plus(disk.counts());
    }
    LocalDisk local = LocalDisk.open(directory);
    disk = new CountingDisk(local);
    StoreParts parts =
        new StoreParts(
            new TurnDisk(disk, turn),
            RocksUnitCatalog.open(local.resolve("catalog"), options.catalogMemory()),
            new ThreadedDiskQueue("bench-disk", options));
    return LocalSegmentStore.open(parts, options, incarnation, Clock.system());
  }

  @Override
  public void sync() throws IOException {
    CountingDisk open = disk;
    if (open == null || open.bypassesPageCache()) {
      return;
    }
    for (Disk.FileEntry segment : open.list("segments")) {
      try (DiskFile file = open.openForWrite("segments/" + segment.name())) {
        file.force();
      }
    }
  }

  @Override
  public <T> T await(CompletableFuture<T> result) throws InterruptedException {
    try {
      return result.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("a connection failed", e.getCause());
    }
  }

  @Override
  public Reading reading() {
    long client = writingNanos.sum();
    for (AtomicLong thread : clientThreads) {
      long id = thread.get();
      client += id == NOT_STARTED ? 0 : threads.getThreadCpuTime(id);
    }
    ProcessUsage usage = ProcessUsage.of(ProcessHandle.current()).orElseThrow();
    DiskTurn.Moment moment = turn.now();
    AccessCounts now = disk == null ? AccessCounts.NONE : disk.counts();
    return new Reading(
        moment.seconds(),
        system.getProcessCpuTime() / NANOS,
        client / NANOS,
        moment.queueSeconds(),
        usage.writtenBytes(),
        before.plus(now));
  }

  @Override
  public void close() {
    scheduler.close();
    flushing.shutdown();
    loops.forEach(ExecutorService::shutdown);
    clients.forEach(ExecutorService::shutdown);
  }
}
