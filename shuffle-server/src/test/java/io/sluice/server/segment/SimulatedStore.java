package io.sluice.server.segment;

import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import io.sluice.server.catalog.SimulatedCatalog;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.SimulatedDisk;
import io.sluice.server.disk.StepQueue;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A store over a simulated disk, driven step by step on the test's thread. */
final class SimulatedStore {
  static final DiskOptions OPTIONS = new DiskOptions(64 << 10, 2, 1 << 20, 1, 64, 8, 1 << 20, 0);

  private final SimulatedDisk disk;
  private final SimulatedCatalog catalog;
  private final DiskOptions options;
  private final @Nullable Scheduler scheduler;
  private StepQueue queue;
  private LocalSegmentStore store;
  private StoreDriver driver;
  private long incarnation = 1;

  SimulatedStore() {
    this(new SimulatedDisk("sim", 1 << 30), new SimulatedCatalog(), OPTIONS);
  }

  SimulatedStore(SimulatedDisk disk, SimulatedCatalog catalog, DiskOptions options) {
    this(disk, catalog, options, null);
  }

  /**
   * @param scheduler lets the disk be watched
   */
  SimulatedStore(
      SimulatedDisk disk,
      SimulatedCatalog catalog,
      DiskOptions options,
      @Nullable Scheduler scheduler) {
    this.scheduler = scheduler;
    this.disk = disk;
    this.catalog = catalog;
    this.options = options;
    queue = new StepQueue();
    store = openStore();
    driver = new StoreDriver(store);
  }

  private LocalSegmentStore openStore() {
    StoreParts parts = new StoreParts(disk, catalog, queue);
    return scheduler == null
        ? LocalSegmentStore.open(parts, options, incarnation, Clock.system())
        : LocalSegmentStore.openWatched(parts, options, incarnation, scheduler);
  }

  SimulatedDisk disk() {
    return disk;
  }

  SimulatedCatalog catalog() {
    return catalog;
  }

  StepQueue queue() {
    return queue;
  }

  LocalSegmentStore store() {
    return store;
  }

  StoreDriver driver() {
    return driver;
  }

  /** The process dies; another opens what it left. */
  void crash() {
    queue.die();
    restartOn();
  }

  /** An orderly restart. */
  void restart() {
    store.close();
    restartOn();
  }

  private void restartOn() {
    disk.restart();
    queue = new StepQueue();
    incarnation++;
    store = openStore();
    driver = new StoreDriver(store);
  }

  /** Writes a unit of shuffle {@code id} with one extent of one block per map. */
  Extent write(int id, int partition, int maps, int storedLength) {
    return StoreDriver.await(
            startWrite(id, unit -> TestBlocks.stage(unit, partition, maps, storedLength)))
        .get(0);
  }

  CompletableFuture<List<Extent>> startWrite(int id, Consumer<UnitBuilder> content) {
    CompletableFuture<List<Extent>> written = driver.startWrite(TestBlocks.shuffle(id), content);
    queue.runWrites();
    return written;
  }

  ByteBuffer read(Extent extent) {
    CompletableFuture<ByteBuffer> done = driver.startRead(extent, 0, extent.length());
    queue.runReads();
    return StoreDriver.await(done);
  }

  /** What a shuffle had on the disk when the store was opened. */
  List<Extent> recovered(int id) {
    return store.recovered().getOrDefault(TestBlocks.shuffle(id), List.of());
  }

  String file(Extent extent, int id) {
    return new SegmentFileName(extent.segment(), TestBlocks.shuffle(id)).path();
  }
}
