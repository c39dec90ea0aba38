package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeDriver;
import io.sluice.client.fake.FakeServer;
import io.sluice.client.fake.StoredBlock;
import io.sluice.client.placement.Complaint;
import io.sluice.client.placement.Placements;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sets of several servers: writers that lose a member, readers that go on at another one. */
class ReplicaTest {
  private static final int PARTITIONS = 4;
  private static final int MAPS = 3;

  private final FakeCluster cluster = new FakeCluster(4, 1);
  private final FakeServer first = cluster.servers.get(0);
  private final FakeServer second = cluster.servers.get(1);
  private final FakeDriver driver = cluster.driver(cluster.replicated(PARTITIONS, 2));
  private final SluiceClient client =
      cluster.client(
          ClientConfig.builder()
              .frameBytes(32 * 1024)
              .maxBlockBytes(64 * 1024)
              .maxInFlightBytes(256 * 1024)
              .suspectAfter(Duration.ofSeconds(5))
              .reconnectDeadline(Duration.ofSeconds(20))
              .build(),
          Placements.from(driver));
  private final WrittenShuffle written = new WrittenShuffle(new Random(5), PARTITIONS);

  @AfterEach
  void freesEverything() {
    client.close();
    assertThat(cluster.activeBytes()).as("direct memory left").isZero();
  }

  private static long seconds(int seconds) {
    return Duration.ofSeconds(seconds).toNanos();
  }

  private void write() throws InterruptedException {
    for (int map = 0; map < MAPS; map++) {
      try (MapOutput output = client.openMapOutput(driver.placement(), map, 100 + map)) {
        written.write(output, new WrittenShuffle.Attempt(map, 100 + map), true, 20_000);
        output.finish();
      }
    }
  }

  private void assertReadable() throws InterruptedException {
    assertThat(waitOfReader()).isNotNegative();
  }

  /** Of one that reads all and finds it right. */
  private long waitOfReader() throws InterruptedException {
    BlockReader reader =
        client.read(
            driver.placement(),
            0,
            PARTITIONS,
            0,
            Integer.MAX_VALUE,
            written.expected(0, PARTITIONS));
    try (reader) {
      written.assertExactly(
          WrittenShuffle.drain(reader), written.places(0, PARTITIONS, 0, Integer.MAX_VALUE));
    }
    return reader.waitNanos();
  }

  private static void lose(FakeServer server) {
    server.up = false;
    server.dropConnections();
  }

  @Test
  void everyMemberOfASetHoldsItsBlocks() throws InterruptedException {
    write();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      List<StoredBlock> one = cluster.servers.get(partition).blocks(cluster.shuffle, partition);
      List<StoredBlock> other =
          cluster.servers.get((partition + 1) % 4).blocks(cluster.shuffle, partition);
      assertThat(one).isNotEmpty().hasSameSizeAs(other);
    }
    assertReadable();
  }

  @Test
  void leavesTheMemberThatFailedAndNotTheOneThatSaysSo() throws InterruptedException {
    lose(second);
    write();
    assertThat(driver.asked.get(0)).extracting(Complaint::server).containsOnly(second.placed());
    FixedPlacement now = driver.placement();
    int newest = now.epochOf(0, now.epochs() - 1);
    assertThat(now.servers().get(now.server(newest, 0, 0))).isEqualTo(first.placed());
    assertThat(now.servers().get(now.server(newest, 0, 1))).isNotEqualTo(second.placed());
    assertReadable();
  }

  /** The driver's newest epoch, made for somebody else, moves nothing of what waits here. */
  @Test
  void doesNotBlameAServerForAnotherMemberOfItsSet() throws InterruptedException {
    FixedPlacement old = driver.placement();
    try (MapOutput output = client.openMapOutput(old, 0, 1)) {
      driver.atLeast(
          cluster.shuffle,
          2,
          List.of(
              Complaint.ofPartitions(
                  cluster.servers.get(3).placed(), ErrorCode.PARTITION_FULL, new int[] {3})));
      cluster.loop.runFor(seconds(1));
      assertThat(driver.placement().epochs()).isEqualTo(2);
      lose(second);
      block(output, 0, 100); // stays in the open frame of its set, second among the others
      block(output, 1, 40_000); // the second is the first of this set
      block(output, 1, 40_000);
      cluster.loop.runFor(seconds(3));
      block(output, 2, 100);
      output.finish();
    }
    assertThat(driver.asked.subList(1, driver.asked.size()))
        .hasSizeGreaterThan(1)
        .allSatisfy(
            complaints ->
                assertThat(complaints).extracting(Complaint::server).containsOnly(second.placed()));
  }

  private static void block(MapOutput output, int partition, int length)
      throws InterruptedException {
    output.beginBlock(partition, length).put(new byte[length]);
    output.endBlock(length, length, 1, 0);
  }

  @Test
  void waitsForAMemberThatNobodyReplaces() throws InterruptedException {
    lose(second);
    driver.gone = true;
    cluster.loop.schedule(seconds(7), () -> second.up = true);
    write();
    assertReadable();
  }

  @Test
  void doesNotWaitForEverForAMemberThatNobodyReplaces() {
    lose(second);
    driver.gone = true;
    long before = cluster.loop.now();
    assertThatThrownBy(
            () -> {
              try (MapOutput output = client.openMapOutput(driver.placement(), 0, 1)) {
                block(output, 0, 100);
                output.finish();
              }
            })
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.REPLICA_FAILED))
        .hasMessageContaining("no other server");
    assertThat(cluster.loop.now() - before).isBetween(seconds(20), seconds(40));
  }

  @Test
  void goesOnAtAnotherReplicaWithoutWaitingForTheServer() throws InterruptedException {
    write();
    lose(first);
    long before = cluster.loop.now();
    assertReadable();
    assertThat(cluster.loop.now() - before).isLessThan(seconds(1));
  }

  @Test
  void asksAnotherReplicaWhenOneSaysNothing() throws InterruptedException {
    write();
    first.silent = true;
    long before = cluster.loop.now();
    assertReadable();
    assertThat(cluster.loop.now() - before).isBetween(seconds(4), seconds(7));
  }

  /** The server that sent it looks for the damage meanwhile. */
  @Test
  void asksAnotherReplicaAtOnceForWhatCameDamaged() throws InterruptedException {
    write();
    List<StoredBlock> blocks = first.blocks(cluster.shuffle, 0);
    blocks.set(0, blocks.get(0).withStoredLength(1));
    first.onDamaged = () -> first.holdsFetchesNanos = seconds(3);
    assertThat(waitOfReader()).isLessThan(seconds(1) / 20);
    assertThat(first.fetches).as("it may be sooner").isEqualTo(2);
  }

  /** And not after the pause, at the end of which the disk may work again. */
  @Test
  void asksAnotherReplicaAtOnceForWhatADiskDoesNotGive() throws InterruptedException {
    write();
    first.unreadable = block -> block.mapIndex() == 1;
    assertThat(waitOfReader()).isLessThan(seconds(1) / 20);
  }

  @Test
  void findsAtAnotherReplicaWhatOneHasLost() throws InterruptedException {
    write();
    first.stored.clear();
    assertReadable();
  }

  @Test
  void isLostOnlyWhenEveryReplicaWasAsked() throws InterruptedException {
    write();
    first.blocks(cluster.shuffle, 0).clear();
    second.blocks(cluster.shuffle, 0).clear();
    int asked = first.fetches + second.fetches;
    assertThatThrownBy(this::assertReadable)
        .isInstanceOfSatisfying(
            MissingBlocksException.class,
            missing -> {
              assertThat(missing.maps()).allMatch(map -> map.partition() == 0);
              assertThat(missing.getMessage())
                  .contains(first.placed().toString())
                  .contains(second.placed().toString());
            });
    assertThat(first.fetches + second.fetches).isGreaterThan(asked + 1);
  }

  @Test
  void finishesWhenAnyMemberStillHasWhatWasStored() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(driver.placement(), 0, 1)) {
      written.write(output, new WrittenShuffle.Attempt(0, 1), true, 20_000);
      output.flush();
      cluster.loop.runFor(seconds(1));
      lose(first);
      long before = cluster.loop.now();
      output.finish();
      assertThat(cluster.loop.now() - before).isLessThan(seconds(2));
    }
    assertReadable();
  }

  @Test
  void failsWhenNoMemberHasWhatWasStored() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(driver.placement(), 0, 1)) {
      written.write(output, new WrittenShuffle.Attempt(0, 1), true, 20_000);
      output.flush();
      cluster.loop.runFor(seconds(1));
      first.restart(false);
      second.restart(false);
      assertThatThrownBy(output::finish)
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DATA_LOST));
    }
  }

  @Test
  void goesOnWithFewerReplicasWhenThereIsNoOtherServer() throws InterruptedException {
    lose(second);
    lose(cluster.servers.get(2));
    lose(cluster.servers.get(3));
    write();
    FixedPlacement now = driver.placement();
    assertThat(now.replicas(now.epochs() - 1)).isEqualTo(1);
    assertReadable();
  }
}
