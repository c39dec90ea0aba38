package io.sluice.server.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.SluiceException;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.ReadOptions;
import io.sluice.server.disk.ThreadedDiskQueue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Real threads reading, filling and evicting at once. */
class ReadCacheConcurrencyTest {
  private static final int UNIT = 256 << 10;
  private static final int UNITS = 16;
  private static final int THREADS = 4;
  private static final int READS = 400;
  // Leases of each thread.
  private static final int KEPT = 2;

  @Test
  void everyThreadGetsItsBytes() throws Exception {
    ReadOptions reads = new ReadOptions(2, 1000, 64 << 10, 4096, 6 * (64 << 10));
    FakeSource source = new FakeSource(3, (long) UNITS * UNIT);
    ThreadedDiskQueue queue = new ThreadedDiskQueue("test", DiskOptions.ssd().withReads(reads));
    ReadCache cache = new ReadCache(reads, "disk", queue::read);
    ExecutorService readers = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> ends = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        int seed = thread;
        ends.add(
            readers.submit(
                () -> {
                  readMany(cache, source, new SplittableRandom(seed));
                  return null;
                }));
      }
      for (Future<?> end : ends) {
        end.get(60, TimeUnit.SECONDS);
      }
    } finally {
      readers.shutdownNow();
      queue.close();
      cache.close();
    }
    cache.forget(3);
    assertThat(cache.activity().now().leasedBytes()).isZero();
    assertThat(cache.activity().now().cachedBytes()).isZero();
    assertThat(cache.activity().now().requests()).isZero();
    assertThat(source.holds()).isZero();
  }

  private static void readMany(ReadCache cache, FakeSource source, SplittableRandom random)
      throws InterruptedException {
    Queue<Optional<SluiceException>> failures = new ConcurrentLinkedQueue<>();
    ArrayDeque<FakeTarget> kept = new ArrayDeque<>();
    for (int i = 0; i < READS; i++) {
      long unit = (long) random.nextInt(UNITS) * UNIT;
      int from = random.nextInt(UNIT - 20_000);
      CountDownLatch ended = new CountDownLatch(1);
      FakeTarget target = new FakeTarget(1 + random.nextInt(20_000), random.nextBoolean());
      long position = unit + from;
      cache.read(
          source,
          new ReadRange(
              position, position + target.length(), unit, unit + UNIT, random.nextBoolean()),
          target,
          failure -> {
            failures.add(Optional.ofNullable(failure));
            ended.countDown();
          });
      assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(failures.remove()).isEmpty();
      target.check(3, position);
      kept.add(target);
      if (kept.size() > KEPT) {
        // Others have read in the meantime.
        kept.remove().giveBack();
      }
    }
    kept.forEach(FakeTarget::giveBack);
  }
}
