package io.sluice.tier.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.common.time.ThreadScheduler;
import io.sluice.server.config.RemoteStorage;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.ReadOptions;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.StoreDriver;
import io.sluice.server.segment.TestBlocks;
import io.sluice.server.tier.Owners;
import io.sluice.server.tier.RemoteTier;
import io.sluice.server.tier.RemoteTierSettings;
import io.sluice.server.tier.RemoteTiers;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A datanode that dies while units are written to it, on an HDFS that nobody else uses. */
class DatanodeDeathTest {
  private static final int DATANODES = 2;
  private static final int BLOCKS = 4;
  private static final int BLOCK_BYTES = 90_000;
  private static final DiskOptions OPTIONS =
      DiskOptions.ssd()
          .withSizes(1 << 20, 4 << 20)
          .withWritesAtMost(1)
          .withMaxOpenFiles(64)
          .withReads(ReadOptions.ssd().withCache(8 << 20));
  private static final ShuffleKey SHUFFLE = TestBlocks.shuffle(7);

  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  File directory;

  private final ThreadScheduler timers =
      new ThreadScheduler(
          "hdfs-test-timer",
          Clock.system(),
          (thread, failure) -> {
            throw new AssertionError(failure);
          });

  private final List<RemoteTier> opened = new ArrayList<>();

  @SuppressWarnings("NullAway.Init")
  private MiniDFSCluster cluster;

  @BeforeEach
  void start() throws IOException {
    cluster =
        new MiniDFSCluster.Builder(MiniHdfs.settings(), directory).numDataNodes(DATANODES).build();
    cluster.waitActive();
  }

  @AfterEach
  void stop() {
    opened.forEach(RemoteTier::close);
    cluster.shutdown(true);
    timers.close();
  }

  private RemoteTier open(int server, long incarnation) {
    RemoteTier tier =
        RemoteTiers.open(
            new RemoteTierSettings(
                new RemoteStorage(
                    cluster.getURI() + "/sluice",
                    List.of(),
                    DATANODES,
                    Duration.ofSeconds(60),
                    Optional.empty(),
                    Optional.empty(),
                    false),
                new ServerId(new UUID(server, server)),
                incarnation,
                new RemoteTierSettings.Sizes(
                    OPTIONS, OPTIONS.withReads(OPTIONS.reads().withCache(0))),
                new RemoteTierSettings.Surroundings(Optional.empty(), timers, Owners.NOBODY)));
    opened.add(tier);
    return tier;
  }

  /** Keeps both staging buffers busy; counts what has been written. */
  private static List<Extent> write(SegmentStore store, int units, CountDownLatch written) {
    StoreDriver driver = new StoreDriver(store);
    List<CompletableFuture<List<Extent>>> writes = new ArrayList<>();
    for (int i = 0; i < units; i++) {
      int partition = i;
      CompletableFuture<List<Extent>> write =
          driver.startWrite(
              SHUFFLE, unit -> TestBlocks.stage(unit, partition, BLOCKS, BLOCK_BYTES));
      writes.add(write.whenComplete((extents, failure) -> written.countDown()));
    }
    List<Extent> extents = new ArrayList<>();
    writes.forEach(write -> extents.addAll(StoreDriver.await(write)));
    return extents;
  }

  private static void assertHolds(SegmentStore store, List<Extent> extents) {
    assertThat(store.recovered().getOrDefault(SHUFFLE, List.of()))
        .usingRecursiveFieldByFieldElementComparator()
        .containsExactlyInAnyOrderElementsOf(extents);
    assertReads(store, extents);
  }

  private static void assertReads(SegmentStore store, List<Extent> extents) {
    StoreDriver driver = new StoreDriver(store);
    for (Extent extent : extents) {
      assertThat(driver.read(extent))
          .isEqualTo(TestBlocks.extent(extent.partition(), BLOCKS, BLOCK_BYTES));
    }
  }

  @Test
  void writingGoesOnWithoutItAndNothingIsLostOrDoubled() throws Exception {
    int units = 60;
    SegmentStore store = open(1, 1).store();
    CountDownLatch some = new CountDownLatch(units / 4);
    CompletableFuture<List<Extent>> writing =
        CompletableFuture.supplyAsync(() -> write(store, units, some));
    assertThat(some.await(60, TimeUnit.SECONDS)).isTrue();

    // Every block has a replica there, the one that is being written too.
    MiniDFSCluster.DataNodeProperties dead = cluster.stopDataNode(0);
    assertThat(writing).as("units under way when it died").isNotDone();
    List<Extent> extents = writing.get(120, TimeUnit.SECONDS);

    assertThat(extents).extracting(Extent::partition).doesNotHaveDuplicates().hasSize(units);
    assertThat(store.health().healthy()).isTrue();
    assertReads(store, extents);
    // The server dies as well; its next life, and then a stand-in, find each unit once.
    assertHolds(open(1, 2).store(), extents);
    assertThat(cluster.restartDataNode(dead)).isTrue();
    cluster.waitActive();
    assertHolds(Adoptions.of(open(2, 1), new ServerId(new UUID(1, 1))).get(0), extents);
  }
}
