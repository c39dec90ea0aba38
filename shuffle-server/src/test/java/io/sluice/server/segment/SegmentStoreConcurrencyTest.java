package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.LocalDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stagers, readers and removers at once over one real disk. */
class SegmentStoreConcurrencyTest {
  private static final DiskOptions OPTIONS =
      DiskOptions.ssd().withSizes(64 << 10, 256 << 10).withMaxOpenFiles(32);
  private static final int SHUFFLES_PER_WRITER = 40;
  private static final int UNITS = 6;
  private static final int LENGTH = 5000;

  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path directory;

  private final ConcurrentLinkedQueue<Extent> readable = new ConcurrentLinkedQueue<>();

  @Test
  void readersSeeWholeExtentsOrThatTheShuffleIsGone() throws Exception {
    LocalSegmentStore store =
        LocalSegmentStore.open(LocalDisk.open(directory), OPTIONS, 1, Clock.system());
    CountDownLatch writersDone = new CountDownLatch(2);
    ExecutorService threads = Executors.newFixedThreadPool(5);
    List<Future<Integer>> work = new ArrayList<>();
    work.add(threads.submit(writer(store, 0, writersDone)));
    work.add(threads.submit(writer(store, 1000, writersDone)));
    for (int i = 0; i < 3; i++) {
      work.add(threads.submit(reader(store, writersDone)));
    }
    threads.shutdown();
    for (Future<Integer> done : work) {
      assertThat(done.get(60, TimeUnit.SECONDS)).isPositive();
    }

    assertThat(store.usage().openFiles()).isLessThanOrEqualTo(OPTIONS.maxOpenFiles());
    store.close();
    assertThat(segmentFiles()).isEmpty();
  }

  /** Units are written side by side, each to a segment that no other is written to meanwhile. */
  @Test
  void unitsOfOneShuffleAreAllThereAfterARestart() throws Exception {
    int writers = 4;
    int units = 25;
    ExecutorService threads = Executors.newFixedThreadPool(writers);
    try (LocalSegmentStore store =
        LocalSegmentStore.open(LocalDisk.open(directory), OPTIONS, 1, Clock.system())) {
      List<Future<?>> work = new ArrayList<>();
      for (int i = 0; i < writers; i++) {
        int first = i * units;
        work.add(
            threads.submit(
                () -> {
                  StoreDriver driver = new StoreDriver(store);
                  for (int p = first; p < first + units; p++) {
                    int partition = p;
                    driver.write(
                        TestBlocks.shuffle(1), b -> TestBlocks.stage(b, partition, 3, LENGTH));
                  }
                }));
      }
      for (Future<?> done : work) {
        done.get(60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
    try (LocalSegmentStore store =
        LocalSegmentStore.open(LocalDisk.open(directory), OPTIONS, 2, Clock.system())) {
      List<Extent> recovered = store.recovered().getOrDefault(TestBlocks.shuffle(1), List.of());
      assertThat(recovered)
          .extracting(Extent::partition)
          .containsExactlyInAnyOrderElementsOf(
              IntStream.range(0, writers * units).boxed().toList());
      StoreDriver driver = new StoreDriver(store);
      for (Extent extent : recovered) {
        assertThat(driver.read(extent)).isEqualTo(TestBlocks.extent(extent.partition(), 3, LENGTH));
      }
      int fitAtLeast = 8;
      assertThat(segmentFiles()).hasSizeBetween(2, writers * units / fitAtLeast + 2);
    }
  }

  /** Writes shuffles and removes each one after the next was written. */
  private Callable<Integer> writer(SegmentStore store, int base, CountDownLatch done) {
    return () -> {
      try {
        StoreDriver driver = new StoreDriver(store);
        for (int shuffle = base; shuffle < base + SHUFFLES_PER_WRITER; shuffle++) {
          for (int unit = 0; unit < UNITS; unit++) {
            int partition = shuffle * UNITS + unit;
            readable.addAll(
                driver.write(
                    TestBlocks.shuffle(shuffle), b -> TestBlocks.stage(b, partition, 3, LENGTH)));
          }
          store.remove(TestBlocks.shuffle(shuffle - 1));
        }
        store.remove(TestBlocks.shuffle(base + SHUFFLES_PER_WRITER - 1));
        return SHUFFLES_PER_WRITER;
      } finally {
        done.countDown();
      }
    };
  }

  private Callable<Integer> reader(SegmentStore store, CountDownLatch writersDone) {
    return () -> {
      StoreDriver driver = new StoreDriver(store);
      int reads = 0;
      while (writersDone.getCount() > 0 || !readable.isEmpty()) {
        Extent extent = readable.poll();
        if (extent == null) {
          Thread.onSpinWait();
          continue;
        }
        ByteBuffer bytes;
        try {
          bytes = driver.read(extent);
        } catch (SluiceException e) {
          assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_SHUFFLE);
          continue;
        }
        assertThat(bytes.equals(TestBlocks.extent(extent.partition(), 3, LENGTH))).isTrue();
        reads++;
      }
      return reads;
    };
  }

  private List<Path> segmentFiles() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("segments"))) {
      return files.toList();
    }
  }
}
