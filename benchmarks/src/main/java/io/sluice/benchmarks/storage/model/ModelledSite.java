package io.sluice.benchmarks.storage.model;

import io.sluice.benchmarks.storage.engine.Site;
import io.sluice.benchmarks.storage.load.ClientWork;
import io.sluice.common.time.Scheduler;
import io.sluice.server.catalog.RocksUnitCatalog;
import io.sluice.server.disk.DiskClass;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.LocalDisk;
import io.sluice.server.segment.LocalSegmentStore;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.StoreParts;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** A server whose disk is modelled and whose processors are infinitely fast. */
public final class ModelledSite implements Site {
  private static final double NANOS = 1e9;
  private static final int LOOPS = 2;

  private final Path directory;
  private final VirtualTime time = new VirtualTime();
  private final Spindle spindle;
  private final Map<String, FileLayout> layouts = new HashMap<>();
  private final WriteBack catalogLog;

  /**
   * @param directory where bytes really lie
   */
  public ModelledSite(Path directory, SeekRule rule) {
    this.directory = directory;
    this.spindle = new Spindle(time, rule);
    this.catalogLog = new WriteBack(time, spindle);
  }

  @Override
  public Scheduler scheduler() {
    return time;
  }

  @Override
  public Executor flushing() {
    return time;
  }

  @Override
  public int loops() {
    return LOOPS;
  }

  @Override
  public Executor loop(int connection) {
    return time;
  }

  @Override
  public Executor client(int connection) {
    return time;
  }

  @Override
  public ClientWork writing() {
    return Runnable::run;
  }

  @Override
  public DiskClass disk() {
    return DiskClass.HDD;
  }

  @Override
  public SegmentStore open(DiskOptions options, long incarnation) {
    LocalDisk local = LocalDisk.open(directory);
    StoreParts parts =
        new StoreParts(
            new ModelledDisk(local, spindle, layouts),
            new LoggedCatalog(
                RocksUnitCatalog.open(local.resolve("catalog"), options.catalogMemory()),
                catalogLog),
            new VirtualDiskQueue(time, spindle, options));
    return LocalSegmentStore.open(parts, options, incarnation, time);
  }

  @Override
  public void sync() {}

  @Override
  public <T> T await(CompletableFuture<T> result) {
    time.runUntil(result);
    return result.join();
  }

  @Override
  public Reading reading() {
    return new Reading(
        time.nanoTime() / NANOS,
        Double.NaN,
        Double.NaN,
        Double.NaN,
        spindle.counts().writtenBytes(),
        spindle.counts());
  }

  @Override
  public void close() {}
}
