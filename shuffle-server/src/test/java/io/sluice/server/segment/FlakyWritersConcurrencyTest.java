package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.server.catalog.RocksUnitCatalog;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.FlakyDisk;
import io.sluice.server.disk.LocalDisk;
import io.sluice.server.disk.ThreadedDiskQueue;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Several writes under way to a real disk that fails in all ways, many stagers, few shuffles: after
 * a restart each unit is there whose writer was told so, once and with its bytes, and no other.
 */
class FlakyWritersConcurrencyTest {
  private static final DiskOptions OPTIONS =
      DiskOptions.ssd().withSizes(64 << 10, 256 << 10).withMaxOpenFiles(32);
  private static final int STAGERS = 6;
  private static final int UNITS = 40;
  private static final int SHUFFLES = 3;
  private static final int MAPS = 3;
  private static final int LENGTH = 7_000;

  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path directory;

  private final Map<ShuffleKey, Collection<Integer>> written = new ConcurrentHashMap<>();
  private final Set<Integer> failed = ConcurrentHashMap.newKeySet();

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void whatIsSaidToBeWrittenIsThereOnce(long seed) throws Exception {
    FlakyDisk disk = new FlakyDisk(LocalDisk.open(directory), seed);
    try (LocalSegmentStore store =
        LocalSegmentStore.open(parts(disk), OPTIONS, 1, Clock.system())) {
      disk.fail(true);
      stageAll(store);
      disk.fail(false);
    }
    assertThat(failed).as("faults").isNotEmpty();
    assertThat(disk.mostWritesOfOneFile()).isEqualTo(1);
    assertThat(disk.mostWrites()).isLessThanOrEqualTo(OPTIONS.writesAtOnce());
    assertAllIsThere();
  }

  @Test
  void asManyAreWrittenAtOnceAsTheDiskTakes() throws Exception {
    FlakyDisk disk = new FlakyDisk(LocalDisk.open(directory), 1);
    disk.gather(OPTIONS.writesAtOnce());
    try (LocalSegmentStore store =
        LocalSegmentStore.open(parts(disk), OPTIONS, 1, Clock.system())) {
      stageAll(store);
    }
    assertThat(failed).isEmpty();
    assertThat(disk.mostWrites()).isEqualTo(OPTIONS.writesAtOnce());
    assertThat(disk.mostWritesOfOneFile()).isEqualTo(1);
    assertAllIsThere();
  }

  private StoreParts parts(FlakyDisk disk) {
    return new StoreParts(
        disk,
        RocksUnitCatalog.open(directory.resolve("catalog"), OPTIONS.catalogMemory()),
        new ThreadedDiskQueue("test", OPTIONS));
  }

  private void stageAll(LocalSegmentStore store) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(STAGERS);
    try {
      List<Future<?>> work = new ArrayList<>();
      for (int i = 0; i < STAGERS; i++) {
        int first = i * UNITS;
        work.add(threads.submit(() -> stageSome(store, first)));
      }
      for (Future<?> done : work) {
        done.get(60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private void stageSome(LocalSegmentStore store, int first) {
    StoreDriver driver = new StoreDriver(store);
    for (int p = first; p < first + UNITS; p++) {
      int partition = p;
      ShuffleKey shuffle = TestBlocks.shuffle(p % SHUFFLES);
      try {
        driver.write(shuffle, unit -> TestBlocks.stage(unit, partition, MAPS, LENGTH));
        written.computeIfAbsent(shuffle, s -> new ConcurrentLinkedQueue<>()).add(partition);
      } catch (SluiceException told) {
        failed.add(partition);
      }
    }
  }

  private void assertAllIsThere() throws Exception {
    try (LocalSegmentStore store =
        LocalSegmentStore.open(LocalDisk.open(directory), OPTIONS, 2, Clock.system())) {
      StoreDriver driver = new StoreDriver(store);
      assertThat(new HashSet<>(store.recovered().keySet())).isEqualTo(written.keySet());
      for (Map.Entry<ShuffleKey, List<Extent>> each : store.recovered().entrySet()) {
        assertThat(each.getValue())
            .extracting(Extent::partition)
            .containsExactlyInAnyOrderElementsOf(written.getOrDefault(each.getKey(), List.of()));
        for (Extent extent : each.getValue()) {
          assertThat(driver.read(extent))
              .isEqualTo(TestBlocks.extent(extent.partition(), MAPS, LENGTH));
        }
      }
    }
  }
}
