package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeDriver;
import io.sluice.client.fake.FakeServer;
import io.sluice.client.placement.Complaint;
import io.sluice.client.placement.Placements;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Blocks that a server does not take go to another one, and readers find them there. */
class MoveTest {
  private static final int BLOCK = 10_000;
  private static final int PARTITIONS = 4;

  private final FakeCluster cluster = new FakeCluster(3, 1);
  private final FakeServer first = cluster.servers.get(0);
  private final PlacedServer firstPlaced = first.placed();
  private final FakeDriver driver = cluster.driver(cluster.placement(PARTITIONS));
  private final ShufflePlacement placement = driver.placement();
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

  @AfterEach
  void freesEverything() {
    client.close();
    assertThat(cluster.activeBytes()).as("direct memory left").isZero();
  }

  @Test
  void goesElsewhereAtOnceWhenAServerCannotBeReached() throws InterruptedException {
    first.up = false;
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      pushAll(output);
      output.finish();
      assertThat(output.firstEpoch()).isZero();
      assertThat(output.lastEpoch()).isEqualTo(1);
      assertThat(firstHoldsSomeOf(output)).as("the dead server has any of it").isFalse();
      assertThat(output.storedOn().isEmpty()).isFalse();
    }
    assertThat(cluster.loop.now()).isLessThan(seconds(1));
    assertThat(first.connects).as("attempts").isEqualTo(2);
    assertThat(driver.asked).hasSize(1);
    assertComplaint(first, ErrorCode.CONNECT_FAILED);
    assertReadable(1, 1);
  }

  /** Whether the life that the placement named has anything. */
  private boolean firstHoldsSomeOf(MapOutput output) {
    return output.storedOn().get(placement.servers().indexOf(firstPlaced));
  }

  @Test
  void goesElsewhereWhenAServerSaysNothingForAWhile() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      push(output, 1, 0);
      output.flush();
      cluster.loop.runFor(seconds(1));
      first.silent = true;
      pushAll(output);
      output.finish();
    }
    assertThat(cluster.loop.now()).isBetween(seconds(6), seconds(7));
    assertComplaint(first, ErrorCode.TIMED_OUT);
  }

  @Test
  void blamesNoServerForAPauseOfItsOwn() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      push(output, 0, 0);
      output.flush();
      cluster.loop.runFor(seconds(1));
      first.frozenUntil = cluster.loop.now() + seconds(6);
      push(output, 0, 0);
      output.flush();
      cluster.loop.runFor(1_000_000);
      cluster.loop.stall(Duration.ofMillis(5_500).toNanos());
      pushAll(output);
      output.finish();
    }
    assertThat(driver.asked).isEmpty();
    assertReadable(1, 1, 6);
  }

  @Test
  void takesLateAnswersForWhatWentElsewhereMeanwhile() throws InterruptedException {
    write(0);
    first.frozenUntil = cluster.loop.now() + seconds(10);
    write(1);
    assertThat(cluster.loop.now()).isLessThan(seconds(7));
    cluster.loop.runFor(seconds(10));
    assertThat(first.connects).as("the connection lives on").isEqualTo(1);
    try (MapOutput output = client.openMapOutput(placement, 2, 2)) {
      pushAll(output);
      output.finish();
    }
    assertReadable(3, 0);
  }

  @Test
  void goesElsewhereAtOnceWhenAServerIsAboutToStop() throws InterruptedException {
    write(0);
    first.goAway();
    cluster.loop.runFor(seconds(1));
    first.up = false;
    write(1);
    assertThat(cluster.loop.now()).isLessThan(seconds(2));
    assertThat(driver.placement().epochs()).isEqualTo(2);
  }

  @Test
  void movesWhatWaitsForCreditThatIsRefused() throws InterruptedException {
    first.seedCredit = 4096;
    first.refuseWants = ErrorCode.NO_MEMORY;
    write(0);
    assertComplaint(first, ErrorCode.NO_MEMORY);
    assertReadable(1, 0);
  }

  @Test
  void waitsForMemoryWhereNoOtherCanTakeTheBlocks() throws InterruptedException {
    driver.refuses = true;
    first.seedCredit = 4096;
    first.refuseWants = ErrorCode.NO_MEMORY;
    cluster.loop.schedule(seconds(100), () -> first.refuseWants = null);
    write(0);
    assertThat(cluster.loop.now()).isBetween(seconds(100), seconds(106));
    assertReadable(1, 0);
  }

  @Test
  void waitsForMemoryUntilTheBlockDeadlineAndNoLonger() {
    driver.refuses = true;
    first.seedCredit = 4096;
    first.refuseWants = ErrorCode.NO_MEMORY;
    assertCode(() -> write(0), ErrorCode.NO_MEMORY).hasMessageContaining(first.placed().toString());
    assertThat(cluster.loop.now()).isBetween(seconds(120), seconds(126));
  }

  @Test
  void saysAfterHalfOfTheBlockDeadlineThatThereHasBeenNoRoomForLong() {
    driver.refuses = true;
    first.seedCredit = 4096;
    first.refuseWants = ErrorCode.NO_MEMORY;
    assertCode(() -> write(0), ErrorCode.NO_MEMORY);
    assertThat(driver.asked.get(0)).singleElement().matches(Complaint::isOfRoom);
    List<Complaint> last = driver.asked.get(driver.asked.size() - 1);
    assertThat(last).singleElement().matches(complaint -> !complaint.isOfRoom());
    assertThat(last.get(0).server()).isEqualTo(first.placed());
  }

  /** Where there was nobody else once there may be somebody the next time. */
  @Test
  void movesAgainAfterItHadToWait() throws InterruptedException {
    driver.refuses = true;
    first.up = false;
    cluster.loop.schedule(seconds(10), () -> first.up = true);
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      push(output, 0, 0);
      output.flush();
      cluster.loop.runFor(seconds(1));
      push(output, 0, 0);
      output.flush();
      cluster.loop.runFor(seconds(14));
      assertThat(first.blocks(cluster.shuffle, 0)).hasSize(2);

      driver.refuses = false;
      first.silent = true;
      push(output, 0, 0);
      output.flush();
      cluster.loop.runFor(seconds(6));
      pushAll(output);
      assertThat(driver.placement().epochs()).isEqualTo(2);
      first.silent = false;
      output.finish();
    }
    assertReadable(1, 1, 7);
  }

  @Test
  void movesOnlyAPartitionThatIsTooLarge() throws InterruptedException {
    first.judge = block -> block.partition() == 0 ? ErrorCode.PARTITION_FULL : null;
    write(0);
    assertThat(driver.asked).hasSize(1);
    Complaint complaint = driver.asked.get(0).get(0);
    assertThat(complaint.partitions()).containsExactly(0);
    FixedPlacement now = driver.placement();
    assertThat(now.nextNamed(1, 0)).isZero();
    assertThat(now.nextNamed(1, 1)).isEqualTo(PARTITIONS);
    assertThat(first.blocks(cluster.shuffle, 3)).as("its other partition").isNotEmpty();
    assertReadable(1, 0);
  }

  @Test
  void comesBackWithAPartitionThatNobodyElseTakes() throws InterruptedException {
    driver.refuses = true;
    int[] told = {0};
    first.judge =
        block -> block.partition() == 0 && told[0]++ == 0 ? ErrorCode.PARTITION_FULL : null;
    write(0);
    assertThat(told[0]).as("blocks that came").isEqualTo(2);
    assertReadable(1, 0);
  }

  @Test
  void asksOnceForAllTasksOfAProcess() throws InterruptedException {
    first.up = false;
    List<MapOutput> outputs = new ArrayList<>();
    for (int map = 0; map < 10; map++) {
      outputs.add(client.openMapOutput(placement, map, map));
    }
    for (MapOutput output : outputs) {
      pushAll(output);
    }
    for (MapOutput output : outputs) {
      output.finish();
      output.close();
    }
    assertThat(driver.asked).hasSize(1);
    assertReadable(10, 0);
  }

  @Test
  void anAttemptThatBeginsLaterDoesNotMeetTheServerAgain() throws InterruptedException {
    first.up = false;
    write(0);
    int connects = first.connects;
    try (MapOutput output = client.openMapOutput(placement, 1, 1)) {
      pushAll(output);
      output.finish();
      assertThat(output.firstEpoch()).isEqualTo(1);
    }
    assertThat(first.connects).isEqualTo(connects);
  }

  @Test
  void neverHoldsMoreThanItsShareOfMemoryWhileItMoves() throws InterruptedException {
    first.seedCredit = 4096;
    first.grantable = 0;
    long most = 0;
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      for (int i = 0; i < 200; i++) {
        push(output, i % PARTITIONS, 0);
        most = Math.max(most, cluster.activeBytes());
        if (i == 60) {
          first.up = false;
          first.dropConnections();
        }
      }
      output.finish();
    }
    assertThat(most).isLessThanOrEqualTo(256 * 1024 + 64 * 1024);
    assertThat(driver.placement().epochs()).isEqualTo(2);
  }

  @Test
  void failsWhereItsStoredBlocksAreLost() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      push(output, 0, 0);
      output.flush();
      cluster.loop.runFor(seconds(1));
      first.up = false;
      first.dropConnections();
      pushAll(output);
      assertCode(output::finish, ErrorCode.DATA_LOST)
          .hasMessageContaining(first.placed().toString());
    }
    assertThat(cluster.loop.now()).as("restarts are waited for").isGreaterThan(seconds(20));
  }

  @Test
  void finishesWhenAServerComesBackWithEverything() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      push(output, 0, 0);
      output.flush();
      cluster.loop.runFor(seconds(1));
      first.up = false;
      first.restartIntact();
      cluster.loop.schedule(seconds(10), () -> first.up = true);
      pushAll(output);
      output.finish();
      assertThat(firstHoldsSomeOf(output)).isTrue();
    }
    assertThat(driver.placement().epochs()).isEqualTo(2);
    assertReadable(1, 1, 5);
  }

  @Test
  void movesAwayFromALaterLifeThatHasNothingOfOurs() throws InterruptedException {
    first.restart(false);
    write(0);
    assertComplaint(first, ErrorCode.STALE_INCARNATION, placement.servers().get(0));
    assertReadable(1, 0);
  }

  @Test
  void waitsForTheServerWhereNoOtherCanTakeTheBlocks() throws InterruptedException {
    driver.refuses = true;
    first.up = false;
    cluster.loop.schedule(seconds(10), () -> first.up = true);
    write(0);
    assertThat(driver.placement().epochs()).isEqualTo(1);
    assertReadable(1, 0);
  }

  @Test
  void failsWithTheRefusalWhereNoOtherCanTakeTheBlocks() {
    driver.refuses = true;
    first.judge = block -> ErrorCode.NO_DISK_SPACE;
    assertCode(() -> write(0), ErrorCode.NO_DISK_SPACE)
        .hasMessageContaining(first.placed().toString());
  }

  @Test
  void anAbandonedOutputFreesWhatCameBack() throws InterruptedException {
    first.up = false;
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      pushAll(output);
      output.flush();
      cluster.loop.runFor(seconds(1));
      assertThat(cluster.activeBytes()).isPositive();
    }
    cluster.loop.runFor(seconds(1));
    assertThat(cluster.activeBytes()).isZero();
    assertThat(driver.asked).isEmpty();
  }

  @Test
  void whatComesBackAfterTheEndIsFreed() throws InterruptedException {
    MapOutput output = client.openMapOutput(placement, 0, 1);
    pushAll(output);
    output.flush();
    first.up = false;
    output.close();
    cluster.loop.runFor(seconds(10));
    assertThat(cluster.activeBytes()).isZero();
  }

  @Test
  void aReaderAsksForAPlacementAsNewAsItsWinners() throws InterruptedException {
    first.up = false;
    write(0);
    first.up = true;
    try (SluiceClient other = cluster.client(ClientConfig.defaults(), Placements.from(driver))) {
      int before = driver.asked.size();
      for (int i = 0; i < 3; i++) {
        assertThat(count(other.read(placement, 0, PARTITIONS, 0, 1, expected(1, 0, 1))))
            .isEqualTo(PARTITIONS);
      }
      assertThat(driver.asked.subList(before, driver.asked.size()))
          .as("once, and about nothing")
          .containsExactly(List.of());
    }
  }

  @Test
  void aReaderOfAShuffleThatIsGoneReportsEverythingMissing() {
    driver.gone = true;
    cluster.servers.forEach(server -> server.remove(cluster.shuffle));
    try (BlockReader reader = client.read(placement, 0, PARTITIONS, 0, 2, expected(2, 0, 1))) {
      assertThatThrownBy(reader::next)
          .isInstanceOfSatisfying(
              MissingBlocksException.class, missing -> assertThat(missing.maps()).hasSize(2));
    }
  }

  @Test
  void aReaderDoesNotAskServersThatWinnersNeverUsed() throws InterruptedException {
    first.up = false;
    write(0);
    write(1);
    int connects = first.connects;
    try (BlockReader reader = client.read(placement, 0, PARTITIONS, 1, 2, expected(2, 1, 1))) {
      assertThat(count(reader)).isEqualTo(PARTITIONS);
    }
    assertThat(first.connects).isEqualTo(connects);
  }

  // ------------------------------------------------------------------------------------ helpers

  private void write(int map) throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, map, map)) {
      pushAll(output);
      output.finish();
    }
  }

  private static void pushAll(MapOutput output) throws InterruptedException {
    for (int partition = 0; partition < PARTITIONS; partition++) {
      push(output, partition, BlockHeader.LAST);
    }
  }

  private static void push(MapOutput output, int partition, int flags) throws InterruptedException {
    ByteBuffer payload = output.beginBlock(partition, BLOCK);
    payload.put(new byte[BLOCK]);
    output.endBlock(BLOCK, BLOCK, 1, flags);
  }

  private void assertComplaint(FakeServer server, ErrorCode code) {
    assertComplaint(server, code, server.placed());
  }

  private void assertComplaint(FakeServer server, ErrorCode code, PlacedServer placed) {
    assertThat(driver.asked.get(0))
        .singleElement()
        .satisfies(
            complaint -> {
              assertThat(complaint.server()).as("%s", server).isEqualTo(placed);
              assertThat(complaint.code()).isEqualTo(code);
              assertThat(complaint.isOfServer()).isTrue();
            });
  }

  private void assertReadable(int maps, int attemptOffset) throws InterruptedException {
    assertReadable(maps, attemptOffset, PARTITIONS);
  }

  /** Reads all partitions of maps whose attempts were numbered from an offset. */
  private void assertReadable(int maps, int attemptOffset, int blocks) throws InterruptedException {
    int last = driver.placement().epochs() - 1;
    ArrayExpectedMaps.Builder builder = ArrayExpectedMaps.builder(0, PARTITIONS).epochs(0, last);
    for (int map = 0; map < maps; map++) {
      int position = builder.add(map, map + attemptOffset);
      IntStream.range(0, PARTITIONS).forEach(p -> builder.nonEmpty(position, p));
    }
    try (BlockReader reader = client.read(placement, 0, PARTITIONS, 0, maps, builder.build())) {
      assertThat(count(reader)).isEqualTo(maps * blocks);
    }
  }

  private static ExpectedMaps expected(int maps, int firstEpoch, int lastEpoch) {
    ArrayExpectedMaps.Builder builder =
        ArrayExpectedMaps.builder(0, PARTITIONS).epochs(firstEpoch, lastEpoch);
    for (int map = 0; map < maps; map++) {
      int position = builder.add(map, map);
      IntStream.range(0, PARTITIONS).forEach(p -> builder.nonEmpty(position, p));
    }
    return builder.build();
  }

  private static int count(BlockReader reader) throws InterruptedException {
    int count = 0;
    try (reader) {
      while (reader.next() != null) {
        count++;
      }
    }
    return count;
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
