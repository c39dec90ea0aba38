package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Records longer than a block, in whatever order their blocks come, with memory for hardly one. */
class LongRecordsPropertyTest {
  private static final int MAX_BLOCK = 5_000;

  private static final class Setting {
    final Random random;
    final int partitions;
    final int maps;
    final FakeCluster cluster;
    final ShufflePlacement placement;
    final ChainedShuffle shuffle;
    final boolean replicated;

    Setting(long seed) {
      random = new Random(seed);
      partitions = 1 + random.nextInt(3);
      maps = 1 + random.nextInt(12);
      replicated = random.nextBoolean();
      cluster = new FakeCluster((replicated ? 2 : 1) + random.nextInt(2), seed);
      placement = replicated ? cluster.replicated(partitions, 2) : cluster.placement(partitions);
      shuffle = new ChainedShuffle(random, partitions);
      for (int map = 0; map < maps; map++) {
        // Not every number is a map's.
        shuffle.write(random.nextInt(4) == 0 ? map + maps : map, 6, MAX_BLOCK);
      }
      if (random.nextBoolean()) {
        shuffle.storeInTurn(cluster, placement);
      } else {
        shuffle.storeAnyhow(cluster, placement);
      }
      cluster.faults.duplicateBlock = random.nextDouble() * 0.3;
      cluster.faults.reorderBlocks = random.nextInt(2) * random.nextDouble();
      cluster.faults.interleave = random.nextDouble();
      cluster.faults.dropConnectionPerPiece = random.nextDouble() * 0.02;
    }

    SluiceClient client(long longRecordBytes) {
      return cluster.client(
          ClientConfig.builder()
              .readerCreditBytes(512 * 1024)
              .maxSpanningRecordBytes(longRecordBytes)
              .build());
    }
  }

  @Property(tries = 300)
  void everyBlockComesOnceWithinTheBound(@ForAll long seed) throws InterruptedException {
    Setting setting = new Setting(seed);
    Random random = setting.random;
    long bound = setting.shuffle.longest() + random.nextInt(4) * 10_000L;
    SluiceClient client = setting.client(bound);
    int first = random.nextInt(setting.partitions);
    int end = first + 1 + random.nextInt(setting.partitions - first);
    int firstMap = random.nextInt(2) == 0 ? 0 : random.nextInt(setting.maps);
    int endMap = random.nextInt(2) == 0 ? Integer.MAX_VALUE : firstMap + random.nextInt(30);
    // A copy of everything is enough.
    FakeServer fails =
        setting.replicated && random.nextBoolean() ? setting.cluster.servers.get(0) : null;
    int failsAfter = random.nextInt(100);

    ChainedShuffle.Held held = new ChainedShuffle.Held();
    ChainedShuffle.Check check = setting.shuffle.new Check(first, end, firstMap, endMap);
    try (BlockReader reader =
        client.read(
            setting.placement,
            first,
            end,
            firstMap,
            endMap,
            setting.shuffle.expected(first, end),
            held)) {
      BlockReader.Block block;
      int blocks = 0;
      while ((block = random.nextInt(3) == 0 ? reader.poll() : reader.next()) != null
          || (block = reader.next()) != null) {
        check.add(block);
        assertThat(client.longRecordBytes()).isBetween(held.now, bound);
        if (fails != null && blocks++ == failsAfter) {
          fails.up = false;
          fails.dropConnections();
        }
      }
      check.end();
    }
    assertThat(held.most).isLessThanOrEqualTo(bound);
    assertThat(held.now).isZero();
    assertThat(client.longRecordBytes()).isZero();
    client.close();
    assertThat(setting.cluster.activeBytes()).as("direct memory left").isZero();
  }

  /** Together they have no more than each could have alone. */
  @Property(tries = 100)
  void readersOfOneProcessShareTheBound(@ForAll long seed) throws InterruptedException {
    Setting setting = new Setting(seed);
    int readers = 2 + setting.random.nextInt(3);
    // With that nobody has to wait, who would wait for ever: they take turns in one thread.
    long bound = 2L * readers * Math.max(1, setting.shuffle.longest());
    SluiceClient client = setting.client(bound);
    ChainedShuffle.Held held = new ChainedShuffle.Held();
    List<BlockReader> open = new ArrayList<>();
    List<ChainedShuffle.Check> checks = new ArrayList<>();
    for (int i = 0; i < readers; i++) {
      checks.add(setting.shuffle.new Check(0, setting.partitions, 0, Integer.MAX_VALUE));
      open.add(
          client.read(
              setting.placement,
              0,
              setting.partitions,
              0,
              Integer.MAX_VALUE,
              setting.shuffle.expected(0, setting.partitions),
              held));
    }
    while (!open.isEmpty()) {
      int turn = setting.random.nextInt(open.size());
      BlockReader.Block block = open.get(turn).next();
      if (block != null) {
        checks.get(turn).add(block);
      } else {
        checks.remove(turn).end();
        open.remove(turn).close();
      }
      assertThat(client.longRecordBytes()).isBetween(held.now, bound);
    }
    assertThat(held.most).isLessThanOrEqualTo(bound);
    assertThat(client.longRecordBytes()).isZero();
    client.close();
    assertThat(setting.cluster.activeBytes()).as("direct memory left").isZero();
  }
}
