package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeServer;
import io.sluice.client.fake.StoredBlock;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PushTest {
  private static final int BLOCK = 10_000;
  private static final int PARTITIONS = 4;

  private final FakeCluster cluster = new FakeCluster(2, 1);
  private final FakeServer server = cluster.servers.get(0);
  private final ShufflePlacement placement = cluster.placement(PARTITIONS);
  private final SluiceClient client =
      cluster.client(
          ClientConfig.builder()
              .frameBytes(32 * 1024)
              .maxBlockBytes(256 * 1024)
              .maxInFlightBytes(1024 * 1024)
              .blockDeadline(Duration.ofSeconds(20))
              .reconnectDeadline(Duration.ofSeconds(5))
              .idleCreditTimeout(Duration.ofSeconds(1))
              .build());

  @AfterEach
  void freesEverything() {
    client.close();
    assertThat(cluster.activeBytes()).as("direct memory left").isZero();
  }

  @Test
  void numbersBlocksAndMarksTheEndOfEveryPartitionWritten() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, 7, 70)) {
      push(output, 0, 0);
      push(output, 0, 0);
      push(output, 2, BlockHeader.LAST);
      output.finish();
      assertThat(output.partitionLengths())
          .containsExactly(2 * (40 + BLOCK) + 40, 0, 40 + BLOCK, 0);
    }
    List<StoredBlock> first = server.blocks(cluster.shuffle, 0);
    assertThat(first).extracting(StoredBlock::sequence).containsExactly(0, 1, 2);
    assertThat(first)
        .extracting(block -> BlockHeader.isLast(block.buffer(), 0))
        .containsExactly(false, false, true);
    assertThat(first).extracting(StoredBlock::mapIndex).containsOnly(7);
    assertThat(first).extracting(StoredBlock::attemptId).containsOnly(70L);
    assertThat(server.blocks(cluster.shuffle, 2)).hasSize(1);
    assertThat(cluster.servers.get(1).connects).as("servers with nothing to store").isZero();
  }

  @Test
  void saysWhichBlockBeginsInsideARecord() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      push(output, 0, BlockHeader.CONTINUES);
      push(output, 0, 0);
      push(output, 0, BlockHeader.LAST);
      output.finish();
    }
    assertThat(server.blocks(cluster.shuffle, 0))
        .extracting(block -> BlockHeader.flags(block.buffer(), 0))
        .containsExactly(BlockHeader.CONTINUES, BlockHeader.CONTINUED, BlockHeader.LAST);
  }

  @Test
  void givesABlockLargerThanAFrameAFrameOfItsOwn() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      push(output, 0, 0);
      output.beginBlock(0, 200_000).put(new byte[200_000]);
      output.endBlock(200_000, 200_000, 1, BlockHeader.LAST);
      output.finish();
    }
    assertThat(server.blocks(cluster.shuffle, 0)).hasSize(2);
  }

  @Test
  void refusesMisuse() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      assertCode(() -> output.beginBlock(0, 256 * 1024 + 1), ErrorCode.BLOCK_TOO_LARGE);
      assertThatThrownBy(output::cancelBlock).isInstanceOf(IllegalStateException.class);
      output.beginBlock(0, 10);
      assertThatThrownBy(() -> output.beginBlock(0, 10)).isInstanceOf(IllegalStateException.class);
      output.endBlock(10, 10, 1, BlockHeader.LAST);
      assertCode(() -> output.beginBlock(0, 10), ErrorCode.INVALID_ARGUMENT);
      output.beginBlock(1, 10);
      assertCode(() -> output.endBlock(11, 11, 1, 0), ErrorCode.INVALID_ARGUMENT);
    }
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      output.beginBlock(0, 10);
      assertCode(
          () -> output.endBlock(10, 10, 1, BlockHeader.LAST | BlockHeader.CONTINUES),
          ErrorCode.INVALID_ARGUMENT);
    }
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      push(output, 0, BlockHeader.CONTINUES);
      assertCode(output::finish, ErrorCode.INVALID_ARGUMENT);
    }
  }

  @Test
  void opensAHandleOncePerShuffleAndConnection() throws InterruptedException {
    for (int map = 0; map < 5; map++) {
      write(map, BlockHeader.LAST);
    }
    assertThat(server.opens).isEqualTo(1);
    assertThat(server.connects).isEqualTo(1);
  }

  @Test
  void failsNamingServerShufflePartitionAndMapWhenABlockIsRefused() throws InterruptedException {
    server.judge = block -> block.partition() == 2 ? ErrorCode.NO_DISK_SPACE : null;
    try (MapOutput output = client.openMapOutput(placement, 7, 70)) {
      push(output, 2, 0);
      assertCode(output::finish, ErrorCode.NO_DISK_SPACE)
          .hasMessageContaining(server.placed().toString())
          .hasMessageContaining(cluster.shuffle.toString())
          .hasMessageContaining("partition 2, map 7, attempt 70, block 0");
      assertCode(() -> output.beginBlock(0, 10), ErrorCode.NO_DISK_SPACE);
    }
  }

  @Test
  void saysWhatTheServerSaidOfARefusal() {
    server.judge = block -> ErrorCode.QUOTA_EXCEEDED;
    server.explanation = "user ada holds 5 bytes of 5";
    assertCode(() -> write(0, BlockHeader.LAST), ErrorCode.QUOTA_EXCEEDED)
        .hasMessageContaining(": user ada holds 5 bytes of 5");
  }

  @Test
  void sendsADamagedBlockOnceMore() throws InterruptedException {
    int[] arrivals = {0};
    server.judge = block -> arrivals[0]++ == 1 ? ErrorCode.CORRUPT_BLOCK : null;
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      for (int i = 0; i < 5; i++) {
        push(output, 0, i == 4 ? BlockHeader.LAST : 0);
      }
      output.finish();
    }
    assertThat(server.blocks(cluster.shuffle, 0))
        .extracting(StoredBlock::sequence)
        .containsExactlyInAnyOrder(0, 1, 2, 3, 4);
  }

  @Test
  void failsWhenABlockArrivesDamagedTwice() {
    server.judge = block -> ErrorCode.CORRUPT_BLOCK;
    assertCode(() -> write(0, BlockHeader.LAST), ErrorCode.CORRUPT_BLOCK);
  }

  @Test
  void sendsABlockAgainThatCouldGoElsewhereIfThereWereAnywhere() throws InterruptedException {
    int[] arrivals = {0};
    server.judge = block -> arrivals[0]++ == 0 ? ErrorCode.PARTITION_FULL : null;
    write(0, BlockHeader.LAST);
    assertThat(arrivals[0]).isEqualTo(2);
    assertThat(server.blocks(cluster.shuffle, 0)).hasSize(1);
  }

  @Test
  void waitsForARestartingServer() throws InterruptedException {
    server.up = false;
    cluster.loop.schedule(Duration.ofSeconds(3).toNanos(), () -> server.up = true);
    write(0, BlockHeader.LAST);
    assertThat(server.blocks(cluster.shuffle, 0)).hasSize(1);
    assertThat(server.connects).as("attempts, with growing pauses").isBetween(3, 10);
  }

  @Test
  void givesAServerUpAfterTheReconnectDeadline() {
    server.up = false;
    assertCode(() -> write(0, 0), ErrorCode.CONNECT_FAILED)
        .hasMessageContaining(server.placed().toString());
    assertThat(cluster.loop.now()).isBetween(seconds(5), seconds(9));
  }

  @Test
  void givesUpOnAServerThatGrantsCreditAndBreaksAtEveryBlock() {
    server.seedCredit = 4096;
    cluster.faults.dropConnectionPerPush = 1;
    assertCode(() -> write(0, 0), ErrorCode.CONNECT_FAILED)
        .hasMessageContaining(server.placed().toString());
    assertThat(cluster.loop.now()).isBetween(seconds(5), seconds(9));
  }

  @Test
  void failsAnAttemptWhoseStoredBlocksWentWithAnIncarnation() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      push(output, 0, 0);
      output.flush();
      cluster.loop.runFor(seconds(1));
      server.restart(false);
      push(output, 0, BlockHeader.LAST);
      assertCode(output::finish, ErrorCode.DATA_LOST)
          .hasMessageContaining(server.placed().id().toString());
    }
  }

  @Test
  void noticesAnIncarnationLostAfterTheLastAcknowledgement() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      push(output, 0, BlockHeader.LAST);
      output.flush();
      cluster.loop.runFor(seconds(1));
      assertThat(server.blocks(cluster.shuffle, 0)).hasSize(1);
      server.restart(false);
      cluster.loop.runFor(seconds(1));
      assertCode(output::finish, ErrorCode.DATA_LOST);
    }
  }

  @Test
  void carriesOnAtALaterLifeThatHasKeptEverything() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      push(output, 0, 0);
      output.flush();
      cluster.loop.runFor(seconds(1));
      server.restartIntact();
      push(output, 0, 0);
      output.flush();
      cluster.loop.runFor(seconds(1));
      server.restartIntact();
      push(output, 0, BlockHeader.LAST);
      output.finish();
    }
    assertThat(server.blocks(cluster.shuffle, 0))
        .extracting(StoredBlock::sequence)
        .containsExactly(0, 1, 2);
  }

  @Test
  void finishesAfterARestartThatLostNothing() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      push(output, 0, BlockHeader.LAST);
      output.flush();
      cluster.loop.runFor(seconds(1));
      server.restartIntact();
      cluster.loop.runFor(seconds(1));
      output.finish();
    }
    assertThat(server.blocks(cluster.shuffle, 0)).hasSize(1);
  }

  @Test
  void failsAnAttemptWhoseBlocksAnIntactLifeTookAndTheNextOneLost() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      server.restartIntact();
      push(output, 0, BlockHeader.LAST);
      output.flush();
      cluster.loop.runFor(seconds(1));
      assertThat(server.blocks(cluster.shuffle, 0)).hasSize(1);
      server.restart(false);
      cluster.loop.runFor(seconds(1));
      assertCode(output::finish, ErrorCode.DATA_LOST);
    }
  }

  @Test
  void carriesOnAtTheSameIncarnation() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      push(output, 0, 0);
      output.flush();
      cluster.loop.runFor(seconds(1));
      server.dropConnections();
      cluster.loop.runFor(seconds(1));
      push(output, 0, BlockHeader.LAST);
      output.finish();
    }
    assertThat(server.blocks(cluster.shuffle, 0))
        .extracting(StoredBlock::sequence)
        .containsExactly(0, 1);
  }

  @Test
  void failsWhatWaitsWhenCreditIsRefusedAndNothingIsUnderWay() {
    server.seedCredit = 4096;
    server.refuseWants = ErrorCode.NO_MEMORY;
    assertCode(() -> write(0, 0), ErrorCode.NO_MEMORY)
        .hasMessageContaining(server.placed().toString());
  }

  @Test
  void livesOffRefundsWhenNoMoreCreditIsToBeHad() throws InterruptedException {
    server.seedCredit = 16 * 1024;
    server.refuseWants = ErrorCode.NO_MEMORY;
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      for (int i = 0; i < 100; i++) {
        push(output, 0, i == 99 ? BlockHeader.LAST : 0);
      }
      output.finish();
    }
    assertThat(server.blocks(cluster.shuffle, 0)).hasSize(100);
  }

  @Test
  void givesUpOnAServerThatStopsAnswering() throws InterruptedException {
    write(0, BlockHeader.LAST);
    server.silent = true;
    long start = cluster.loop.now();
    assertCode(() -> write(1, BlockHeader.LAST), ErrorCode.TIMED_OUT)
        .hasMessageContaining(server.placed().toString());
    assertThat(cluster.loop.now() - start).isBetween(seconds(19), seconds(41));
  }

  @Test
  void carriesOnWithAServerThatWasGivenUpBeforeItCouldBeReached() throws InterruptedException {
    ClientConfig impatient =
        ClientConfig.builder()
            .blockDeadline(Duration.ofSeconds(3))
            .reconnectDeadline(Duration.ofSeconds(30))
            .build();
    try (SluiceClient other = cluster.client(impatient)) {
      server.up = false;
      assertCode(() -> write(other, 0, BlockHeader.LAST), ErrorCode.TIMED_OUT);
      assertThat(cluster.loop.now()).isBetween(seconds(2), seconds(7));

      // The attempt to connect that was under way succeeds, without a failure in between.
      server.up = true;
      write(other, 1, BlockHeader.LAST);
      write(other, 2, BlockHeader.LAST);
    }
    assertThat(server.blocks(cluster.shuffle, 0)).hasSize(2);
  }

  @Test
  void returnsCreditItHasNoUseFor() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      for (int i = 0; i < 50; i++) {
        push(output, 0, i == 49 ? BlockHeader.LAST : 0);
      }
      output.finish();
    }
    assertThat(server.wanted).isPositive();
    assertThat(server.returned).isZero();
    cluster.loop.runFor(seconds(3));
    assertThat(server.returned).isEqualTo(server.wanted);
  }

  @Test
  void givesUpIdleCreditWhenAsked() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      for (int i = 0; i < 50; i++) {
        push(output, 0, i == 49 ? BlockHeader.LAST : 0);
      }
      output.finish();
    }
    server.reclaim(10_000);
    cluster.loop.runFor(Duration.ofMillis(500).toNanos());
    assertThat(server.returned).isEqualTo(10_000);
  }

  @Test
  void leavesAServerThatGoesAwayAndWaitsForItsReturn() throws InterruptedException {
    write(0, BlockHeader.LAST);
    server.goAway();
    cluster.loop.runFor(seconds(1));
    assertThat(server.connections()).as("left").isZero();
    server.up = false;
    cluster.loop.schedule(seconds(2), () -> server.up = true);
    write(1, BlockHeader.LAST);
    assertThat(server.blocks(cluster.shuffle, 0)).hasSize(2);
  }

  @Test
  void finishesWhatIsUnderWayAtAServerThatGoesAway() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      push(output, 0, BlockHeader.LAST);
      output.flush();
      cluster.loop.runUntil(() -> server.connections() == 1);
      server.goAway();
      output.finish();
    }
    assertThat(server.blocks(cluster.shuffle, 0)).hasSize(1);
    cluster.loop.runFor(seconds(1));
    assertThat(server.connections()).as("left").isZero();
  }

  @Test
  void keepsManyShufflesApartOnOneConnection() throws InterruptedException {
    for (int shuffle = 0; shuffle < 600; shuffle++) {
      ShuffleKey key = new ShuffleKey(ApplicationId.of(7, 7), shuffle, 0);
      FixedPlacement one = FixedPlacement.of(key, 1, List.of(server.placed()), 1, new int[1]);
      try (MapOutput output = client.openMapOutput(one, shuffle, shuffle)) {
        push(output, 0, BlockHeader.LAST);
        output.finish();
      }
      assertThat(server.blocks(key, 0)).extracting(StoredBlock::mapIndex).containsOnly(shuffle);
    }
    assertThat(server.connects).isEqualTo(1);
    assertThat(server.openHandles).as("handles still open").isLessThanOrEqualTo(256);
  }

  @Test
  void anAbandonedOutputFreesItsMemoryAndLeavesTheConnectionToOthers() throws InterruptedException {
    server.seedCredit = 4096;
    server.grantable = 0;
    MapOutput stuck = client.openMapOutput(placement, 0, 1);
    for (int i = 0; i < 10; i++) {
      push(stuck, 0, 0);
    }
    stuck.flush();
    cluster.loop.runFor(seconds(1));
    assertThat(cluster.activeBytes()).isPositive();
    stuck.close();
    cluster.loop.runFor(seconds(1));
    assertThat(cluster.activeBytes()).isZero();

    try (MapOutput small = client.openMapOutput(placement, 1, 2)) {
      small.beginBlock(0, 100);
      small.endBlock(100, 100, 1, BlockHeader.LAST);
      small.finish();
    }
    assertThat(server.blocks(cluster.shuffle, 0)).hasSize(1);
  }

  @Test
  void closingTheClientFailsOutputsUnderWay() throws InterruptedException {
    server.silent = true;
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      push(output, 0, 0);
      output.flush();
      cluster.loop.runFor(seconds(1));
      client.close();
      assertCode(output::finish, ErrorCode.CANCELLED);
    }
  }

  private void write(int map, int flags) throws InterruptedException {
    write(client, map, flags);
  }

  private void write(SluiceClient through, int map, int flags) throws InterruptedException {
    try (MapOutput output = through.openMapOutput(placement, map, map)) {
      push(output, 0, flags);
      output.finish();
    }
  }

  private static void push(MapOutput output, int partition, int flags) throws InterruptedException {
    ByteBuffer payload = output.beginBlock(partition, BLOCK);
    payload.put(new byte[BLOCK]);
    output.endBlock(BLOCK, BLOCK, 1, flags);
  }

  private static long seconds(int seconds) {
    return Duration.ofSeconds(seconds).toNanos();
  }

  private static org.assertj.core.api.AbstractThrowableAssert<?, ? extends Throwable> assertCode(
      ThrowingCallable call, ErrorCode code) {
    return assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
  }
}
