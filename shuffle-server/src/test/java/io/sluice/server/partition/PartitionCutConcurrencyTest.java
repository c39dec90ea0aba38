package io.sluice.server.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.fetch.NamedStore;
import io.sluice.server.memory.TableBudget;
import io.sluice.server.quota.ByteQuota;
import io.sluice.server.quota.QuotaLimits;
import io.sluice.server.quota.Quotas;
import io.sluice.server.quota.TableShares;
import io.sluice.server.segment.Extent;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Extents are cut off while others come, and while their shuffle goes: every byte counts once. */
class PartitionCutConcurrencyTest {
  private static final ApplicationId APPLICATION = ApplicationId.of(1, 2);
  private static final int ROUNDS = 300;
  private static final int EXTENTS = 200;
  private static final int LENGTH = 1_000;

  private final TableBudget tables = new TableBudget(1 << 30);
  private final ByteQuota quota = new Quotas(QuotaLimits.NONE).acquire(APPLICATION);
  private final ExecutorService threads = Executors.newFixedThreadPool(4);

  private static Extent extent(int length) {
    return new Extent(0, 1, 0, length, 1, 0, 0, new int[0], new int[0]);
  }

  private static StoredExtent stored(int length) {
    return new StoredExtent(new NamedStore("disk"), extent(length));
  }

  @Test
  void everyByteCountsOnceWhateverIsCutOff() throws Exception {
    try {
      for (int round = 0; round < ROUNDS; round++) {
        race(round);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private void race(int round) throws Exception {
    Shuffle shuffle =
        new Shuffle(
            new ShuffleKey(APPLICATION, round, 0),
            1 << 20,
            new TableShares(tables).acquire(APPLICATION),
            quota);
    PartitionBuffer partition = shuffle.partition(0);
    boolean removes = round % 2 == 0;
    CyclicBarrier start = new CyclicBarrier(removes ? 4 : 3);
    List<Future<?>> all = new ArrayList<>();
    all.add(
        threads.submit(
            () -> {
              start.await();
              for (int i = 0; i < EXTENTS; i++) {
                partition.recovered(stored(LENGTH));
              }
              return null;
            }));
    for (int cutter = 0; cutter < 2; cutter++) {
      SplittableRandom random = new SplittableRandom(2L * round + cutter);
      all.add(
          threads.submit(
              () -> {
                start.await();
                for (int i = 0; i < EXTENTS; i++) {
                  cutOne(partition, random);
                }
                return null;
              }));
    }
    if (removes) {
      all.add(
          threads.submit(
              () -> {
                start.await();
                for (int delay = round * 50; delay > 0; delay--) {
                  Thread.onSpinWait();
                }
                shuffle.remove();
                return null;
              }));
    }
    for (Future<?> each : all) {
      each.get(60, TimeUnit.SECONDS);
    }
    List<StoredExtent> left = partition.extents(extent -> true);
    long bytes = left.stream().mapToLong(extent -> extent.extent().length()).sum();
    assertThat(partition.heldBytes()).isEqualTo(bytes);
    assertThat(quota.used()).isEqualTo(bytes);
    assertThat(tables.extents()).isEqualTo(left.size());
    if (removes) {
      assertThat(left).isEmpty();
    } else {
      assertThat(partition.storedBytes()).isEqualTo(bytes);
    }
    shuffle.remove();
    assertThat(quota.used()).isZero();
    assertThat(tables.used()).isZero();
  }

  /** Of one that both may choose only one is told that it was there. */
  private static void cutOne(PartitionBuffer partition, SplittableRandom random) {
    List<StoredExtent> there = partition.extents(extent -> extent.extent().length() > 100);
    if (!there.isEmpty()) {
      StoredExtent extent = there.get(random.nextInt(Math.min(2, there.size())));
      int length = extent.extent().length() / 2;
      partition.cut(extent, random.nextBoolean() ? null : stored(length));
    }
  }
}
