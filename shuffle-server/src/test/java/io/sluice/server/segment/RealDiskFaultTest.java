package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import io.sluice.common.time.ThreadScheduler;
import io.sluice.server.catalog.RocksUnitCatalog;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.FlakyDisk;
import io.sluice.server.disk.LocalDisk;
import io.sluice.server.disk.ThreadedDiskQueue;
import io.sluice.server.identity.StoredIdentity;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Faults of real file systems under a store with RocksDB, real threads and real timers. */
class RealDiskFaultTest {
  private static final DiskOptions OPTIONS =
      new DiskOptions(256 << 10, 2, 1 << 20, 2, 64, 16, 4 << 20, 2 << 20);
  private static final int LENGTH = 40_000;

  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path directory;

  private final AtomicLong aheadNanos = new AtomicLong();
  private final ThreadScheduler scheduler =
      new ThreadScheduler(
          "test-timer",
          new AdvancedClock(aheadNanos),
          (thread, failure) -> {
            throw new AssertionError("a timer failed", failure);
          });
  private final List<Path> mounted = new ArrayList<>();

  @AfterEach
  void unmount() {
    scheduler.close();
    mounted.forEach(path -> run("umount", path.toString()));
  }

  /** The system's, moved ahead. */
  private record AdvancedClock(AtomicLong aheadNanos) implements Clock {
    @Override
    public long nanoTime() {
      return Clock.system().nanoTime() + aheadNanos.get();
    }

    @Override
    public long wallTimeMillis() {
      return Clock.system().wallTimeMillis();
    }
  }

  /** A file system of 32 MiB; skips where nobody may mount one. */
  private Path mount(String name) throws IOException {
    Path path = Files.createDirectories(directory.resolve(name));
    Assumptions.assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=32m", "sluice-test", path.toString()),
        "mounting a tmpfs is not permitted here");
    mounted.add(path);
    return path;
  }

  private static boolean run(String... command) {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
    } catch (IOException noSuchCommand) {
      return false;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private LocalSegmentStore open(Path path) {
    return LocalSegmentStore.openWatched(
        LocalDisk.open(path), Tier.SSD, OPTIONS, StoreLife.of(1), scheduler);
  }

  @Test
  void aDiskFilledToTheBrimIsFencedReadsOnAndComesBackWhenThereIsRoom() throws Exception {
    Path path = mount("full");
    LocalSegmentStore store = open(path);
    StoreDriver driver = new StoreDriver(store);
    List<Extent> written = fill(driver, 1);
    assertThat(written).hasSizeGreaterThan(20);
    assertFenced(store);
    assertThat(store.usage().healthy()).isFalse();
    for (int i = 0; i < written.size(); i++) {
      assertThat(driver.read(written.get(i))).isEqualTo(TestBlocks.extent(i, 6, LENGTH));
    }

    CompletableFuture<Void> back = new CompletableFuture<>();
    assertThat(store.tryStage(TestBlocks.shuffle(2), () -> back.complete(null))).isNull();
    store.remove(TestBlocks.shuffle(1));
    StoreDriver.await(back);

    assertThat(store.health().healthy()).isTrue();
    Extent after = driver.write(TestBlocks.shuffle(2), unit -> stage(unit, 1)).get(0);
    assertThat(driver.read(after)).isEqualTo(TestBlocks.extent(1, 6, LENGTH));
    assertClosesClean(store, path);
  }

  @Test
  void aDirectoryThatVanishesIsNoticedWithoutAWriteAndWorksAgainWhenItIsBack() throws Exception {
    Path path = Files.createDirectories(directory.resolve("vanishing"));
    LocalSegmentStore store = open(path);
    Path away = directory.resolve("away");
    CompletableFuture<Void> noticed = new CompletableFuture<>();
    store.onHealthChange(() -> noticed.complete(null));
    Files.move(path, away);

    // What is known has become old: asking, as every heartbeat does, has it renewed.
    aheadNanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
    store.usage();
    StoreDriver.await(noticed);

    assertThat(store.usage().healthy()).isFalse();
    assertFenced(store);
    assertThat(store.health().problem()).contains("cannot be asked for its room");
    CompletableFuture<Void> back = new CompletableFuture<>();
    assertThat(store.tryStage(TestBlocks.shuffle(2), () -> back.complete(null))).isNull();
    Files.move(away, path);
    StoreDriver.await(back);
    assertThat(store.usage().healthy()).isTrue();
    StoreDriver driver = new StoreDriver(store);
    Extent after = driver.write(TestBlocks.shuffle(2), unit -> stage(unit, 3)).get(0);
    assertThat(driver.read(after)).isEqualTo(TestBlocks.extent(3, 6, LENGTH));
    assertClosesClean(store, path);
  }

  @Test
  void aFullDiskWhoseCatalogHasFailedMakesItsOwnRoomAndLosesNothing() throws Exception {
    Path path = mount("brim");
    LocalSegmentStore store = open(path);
    StoreDriver driver = new StoreDriver(store);
    Extent kept = driver.write(TestBlocks.shuffle(3), unit -> stage(unit, 1)).get(0);
    Path catalog = path.resolve(LocalSegmentStore.CATALOG);
    Path away = path.resolve("catalog-away");
    Files.move(catalog, away);
    writeUntilTheCatalogFails(driver);
    fillUp(path);
    Files.move(away, catalog);
    CompletableFuture<Void> back = new CompletableFuture<>();
    assertThat(store.tryStage(TestBlocks.shuffle(1), () -> back.complete(null))).isNull();

    store.remove(TestBlocks.shuffle(2));
    StoreDriver.await(back);

    Extent after = driver.write(TestBlocks.shuffle(3), unit -> stage(unit, 2)).get(0);
    store.close();
    LocalSegmentStore again = open(path);
    assertThat(again.recovery().lostUnits()).isZero();
    assertThat(again.recovered()).containsOnlyKeys(TestBlocks.shuffle(3));
    StoreDriver reader = new StoreDriver(again);
    assertThat(reader.read(kept)).isEqualTo(TestBlocks.extent(1, 6, LENGTH));
    assertThat(reader.read(after)).isEqualTo(TestBlocks.extent(2, 6, LENGTH));
    again.remove(TestBlocks.shuffle(3));
    assertClosesClean(again, path);
  }

  /** To the last byte. */
  private static void fillUp(Path path) {
    assertThatThrownBy(() -> Files.write(path.resolve("ballast"), new byte[40 << 20]))
        .isInstanceOf(IOException.class);
  }

  /** As a server does. */
  private LocalSegmentStore start(Path path) {
    LocalDisk disk = LocalDisk.open(path);
    long incarnation = StoredIdentity.claim(List.of(disk), UUID::randomUUID).incarnation();
    return LocalSegmentStore.openWatched(
        disk, Tier.SSD, OPTIONS, StoreLife.of(incarnation), scheduler);
  }

  @Test
  void aStartOnADiskWithoutAFreeByteServesWhatIsThereAndTakesMoreWhenThereIsRoom()
      throws Exception {
    Path path = mount("restarted");
    LocalSegmentStore store = start(path);
    Extent before =
        new StoreDriver(store).write(TestBlocks.shuffle(1), unit -> stage(unit, 1)).get(0);
    store.close();
    fillUp(path);

    LocalSegmentStore full = start(path);

    assertThat(full.lostUnits()).isZero();
    StoreDriver driver = new StoreDriver(full);
    assertThat(driver.read(before)).isEqualTo(TestBlocks.extent(1, 6, LENGTH));
    fillUp(path);
    assertThatThrownBy(() -> driver.write(TestBlocks.shuffle(1), unit -> stage(unit, 2)))
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.NO_DISK_SPACE));
    assertFenced(full);
    CompletableFuture<Void> back = new CompletableFuture<>();
    full.onHealthChange(() -> back.complete(null));
    Files.delete(path.resolve("ballast"));
    StoreDriver.await(back);
    assertThat(full.health().healthy()).isTrue();
    Extent after = driver.write(TestBlocks.shuffle(1), unit -> stage(unit, 3)).get(0);
    assertThat(driver.read(after)).isEqualTo(TestBlocks.extent(3, 6, LENGTH));
    full.close();

    // Room is kept for the next one.
    fillUp(path);
    LocalSegmentStore again = start(path);
    assertThat(again.recovered().get(TestBlocks.shuffle(1))).hasSize(2);
    assertClosesClean(again, path);
  }

  @Test
  void aFullDiskWithoutRoomForAStartIsNotOpenedAndIsWholeWhenThereIsSome() throws Exception {
    Path path = mount("crammed");
    LocalSegmentStore store = open(path);
    Extent before =
        new StoreDriver(store).write(TestBlocks.shuffle(1), unit -> stage(unit, 1)).get(0);
    store.close();
    Files.delete(path.resolve("start-room"));
    fillUp(path);

    assertThatThrownBy(() -> open(path))
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.DISK_FAILED))
        .hasMessageContaining("No space left on device");
    Files.delete(path.resolve("ballast"));
    LocalSegmentStore again = open(path);

    assertThat(new StoreDriver(again).read(before)).isEqualTo(TestBlocks.extent(1, 6, LENGTH));
    assertClosesClean(again, path);
  }

  private static void stage(UnitBuilder unit, int partition) {
    TestBlocks.stage(unit, partition, 6, LENGTH);
  }

  /** Writes until the disk refuses. */
  private static List<Extent> fill(StoreDriver driver, int shuffle) {
    List<Extent> written = new ArrayList<>();
    while (written.size() < 1000) {
      int partition = written.size();
      try {
        written.addAll(driver.write(TestBlocks.shuffle(shuffle), unit -> stage(unit, partition)));
      } catch (SluiceException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.NO_DISK_SPACE);
        return written;
      }
    }
    throw new AssertionError("32 MiB are never full");
  }

  @Test
  void aDiskFilledByOthersBeyondTheReserveStillServesAndRecovers() throws Exception {
    Path path = mount("crowded");
    LocalSegmentStore store = open(path);
    StoreDriver driver = new StoreDriver(store);
    Extent before = driver.write(TestBlocks.shuffle(1), unit -> stage(unit, 1)).get(0);
    fillUp(path);

    assertThatThrownBy(() -> driver.write(TestBlocks.shuffle(1), unit -> stage(unit, 2)))
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.NO_DISK_SPACE));
    assertFenced(store);
    assertThat(driver.read(before)).isEqualTo(TestBlocks.extent(1, 6, LENGTH));
    Files.delete(path.resolve("ballast"));
    Extent after = driver.write(TestBlocks.shuffle(1), unit -> stage(unit, 3)).get(0);

    assertThat(driver.read(after)).isEqualTo(TestBlocks.extent(3, 6, LENGTH));
    assertClosesClean(store, path);
  }

  /** The room is there when the writer asks for it, and gone when it writes. */
  @Test
  void aUnitOfWhichTheDiskTakesOnlyAPartIsNotThereAndHarmsNoOther() throws Exception {
    Path path = mount("short");
    FlakyDisk disk = new FlakyDisk(LocalDisk.open(path), 1);
    StoreParts parts =
        new StoreParts(
            disk,
            RocksUnitCatalog.open(path.resolve("catalog"), OPTIONS.catalogMemory()),
            new ThreadedDiskQueue("test", OPTIONS));
    Extent before;
    try (LocalSegmentStore store = LocalSegmentStore.open(parts, OPTIONS, 1, Clock.system())) {
      StoreDriver driver = new StoreDriver(store);
      before = driver.write(TestBlocks.shuffle(1), unit -> stage(unit, 1)).get(0);
      disk.beforeNextWrite(() -> leave(path, 100 << 10));

      assertThatThrownBy(() -> driver.write(TestBlocks.shuffle(1), unit -> stage(unit, 2)))
          .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.NO_DISK_SPACE));
      assertThat(disk.shortWrites()).isEqualTo(1);
      assertThat(driver.read(before)).isEqualTo(TestBlocks.extent(1, 6, LENGTH));
    }
    Files.delete(path.resolve("ballast"));

    LocalSegmentStore again = open(path);
    assertThat(again.recovered().get(TestBlocks.shuffle(1)))
        .extracting(Extent::partition)
        .containsExactly(1);
    assertThat(again.recovery().lostUnits()).isZero();
    assertThat(new StoreDriver(again).read(before)).isEqualTo(TestBlocks.extent(1, 6, LENGTH));
    assertClosesClean(again, path);
  }

  private static void leave(Path path, int bytes) {
    try {
      fillUp(path);
      try (FileChannel ballast =
          FileChannel.open(path.resolve("ballast"), StandardOpenOption.WRITE)) {
        ballast.truncate(ballast.size() - bytes);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aDirectoryThatVanishesIsNeverWrittenAnewAndIsUsedAgainWhenItIsBack() throws Exception {
    Path path = Files.createDirectories(directory.resolve("gone"));
    LocalSegmentStore store = open(path);
    StoreDriver driver = new StoreDriver(store);
    Extent before = driver.write(TestBlocks.shuffle(1), unit -> stage(unit, 1)).get(0);
    Path elsewhere = directory.resolve("elsewhere");
    Files.move(path, elsewhere);

    assertThatThrownBy(() -> driver.write(TestBlocks.shuffle(1), unit -> stage(unit, 2)))
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.DISK_FAILED));
    assertFenced(store);
    assertThat(path).doesNotExist();
    assertThatThrownBy(() -> driver.read(before))
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.DISK_FAILED))
        .hasMessageContaining(path.toString());
    Files.move(elsewhere, path);
    Extent after = driver.write(TestBlocks.shuffle(1), unit -> stage(unit, 3)).get(0);

    assertThat(driver.read(after)).isEqualTo(TestBlocks.extent(3, 6, LENGTH));
    assertThat(driver.read(before)).isEqualTo(TestBlocks.extent(1, 6, LENGTH));
    assertClosesClean(store, path);
  }

  @Test
  void aCatalogThatFailedOnceTakesUnitsAgainWhenTheDiskIsBack() throws Exception {
    Path path = Files.createDirectories(directory.resolve("records"));
    LocalSegmentStore store = open(path);
    StoreDriver driver = new StoreDriver(store);
    Extent before = driver.write(TestBlocks.shuffle(1), unit -> stage(unit, 1)).get(0);
    Path catalog = path.resolve(LocalSegmentStore.CATALOG);
    Path away = directory.resolve("catalog-away");
    Files.move(catalog, away);
    writeUntilTheCatalogFails(driver);
    assertThat(store.health().healthy()).isFalse();
    store.remove(TestBlocks.shuffle(2));

    CompletableFuture<Void> back = new CompletableFuture<>();
    assertThat(store.tryStage(TestBlocks.shuffle(1), () -> back.complete(null))).isNull();
    Files.move(away, catalog);
    StoreDriver.await(back);

    Extent after = driver.write(TestBlocks.shuffle(1), unit -> stage(unit, 3)).get(0);
    assertThat(driver.read(before)).isEqualTo(TestBlocks.extent(1, 6, LENGTH));
    assertThat(driver.read(after)).isEqualTo(TestBlocks.extent(3, 6, LENGTH));
    assertThat(store.activity().fences()).isEqualTo(1);
    assertClosesClean(store, path);
  }

  /** Small blocks make large records: a log is full after some tens of units. */
  private static void writeUntilTheCatalogFails(StoreDriver driver) {
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 1000; i++) {
                driver.write(
                    TestBlocks.shuffle(2),
                    unit -> {
                      for (int partition = 0; unit.remaining() > 1000; partition++) {
                        TestBlocks.stage(unit, partition, 1, 90);
                      }
                    });
              }
            })
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.DISK_FAILED));
  }

  private static void assertFenced(LocalSegmentStore store) {
    assertThat(store.health().healthy()).isFalse();
    assertThat(store.health().problem()).contains(store.name());
    assertThat(store.activity().fences()).isEqualTo(1);
  }

  /** No handle, window, lease or read is left, and no file but the empty store's own. */
  private static void assertClosesClean(LocalSegmentStore store, Path path) throws IOException {
    for (int shuffle = 1; shuffle <= 2; shuffle++) {
      store.remove(TestBlocks.shuffle(shuffle));
    }
    store.close();
    assertThat(store.activity().reads().now().requests()).isZero();
    assertThat(store.activity().reads().now().loads()).isZero();
    assertThat(store.activity().reads().now().cachedBytes()).isZero();
    assertThat(store.activity().io().underWay()).isZero();
    assertThat(store.activity().staged()).isZero();
    try (Stream<Path> segments = Files.list(path.resolve("segments"))) {
      assertThat(segments).isEmpty();
    }
    assertThat(openHandles(path)).isEmpty();
  }

  /** Files of this process that are open under a path; none where the system does not tell. */
  private static List<String> openHandles(Path path) {
    File[] handles = new File("/proc/self/fd").listFiles();
    return Stream.of(handles == null ? new File[0] : handles)
        .map(RealDiskFaultTest::target)
        .filter(target -> target.startsWith(path.toString()))
        .toList();
  }

  private static String target(File handle) {
    try {
      return Files.readSymbolicLink(handle.toPath()).toString();
    } catch (NoSuchFileException closedMeanwhile) {
      return "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
