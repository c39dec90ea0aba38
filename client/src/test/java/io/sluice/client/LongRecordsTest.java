package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeServer;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.time.Duration;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A record of four blocks of each of ten maps that ran at the same time. */
class LongRecordsTest {
  private static final int MAPS = 10;
  private static final int BLOCK = 10_000;
  private static final long STORED = BLOCK + BlockHeader.LENGTH;
  private static final long CHAIN = 4 * STORED;

  /** Half of it is for nine blocks, so in the end for two chains. */
  private static final long FOR_TWO = 18 * STORED;

  private final FakeCluster cluster = new FakeCluster(2, 1);
  private final FakeServer first = cluster.servers.get(0);
  private final FakeServer second = cluster.servers.get(1);
  private final ShufflePlacement single = cluster.placement(1);
  private final ShufflePlacement replicated = cluster.replicated(1, 2);
  private final ChainedShuffle shuffle = new ChainedShuffle(new Random(1), 1);
  private final ExpectedMaps expected;
  private final ChainedShuffle.Held held = new ChainedShuffle.Held();
  private SluiceClient client = client(FOR_TWO);

  LongRecordsTest() {
    for (int map = 0; map < MAPS; map++) {
      shuffle.writeRecord(map, 0, true, BLOCK, BLOCK, BLOCK, BLOCK);
    }
    expected = shuffle.expected(0, 1);
  }

  private SluiceClient client(long longRecordBytes) {
    return cluster.client(
        ClientConfig.builder()
            .readerCreditBytes(512 * 1024)
            .maxSpanningRecordBytes(longRecordBytes)
            .suspectAfter(Duration.ofSeconds(5))
            .blockDeadline(Duration.ofSeconds(20))
            .reconnectDeadline(Duration.ofSeconds(5))
            .build());
  }

  @BeforeEach
  void store() {
    shuffle.storeInTurn(cluster, replicated);
  }

  @AfterEach
  void freesEverything() {
    assertThat(held.now).isZero();
    assertThat(client.longRecordBytes()).isZero();
    client.close();
    assertThat(cluster.activeBytes()).as("direct memory left").isZero();
  }

  private BlockReader read(ShufflePlacement placement) {
    return client.read(placement, 0, 1, 0, MAPS, expected, held);
  }

  private ChainedShuffle.Check check() {
    return shuffle.new Check(0, 1, 0, MAPS);
  }

  /** Reads until the second round has begun, and a block of it has come. */
  private void beginSecondRound(BlockReader reader, ChainedShuffle.Check check)
      throws InterruptedException {
    int fetches = first.fetches + second.fetches;
    while (first.fetches + second.fetches <= fetches + 1) {
      BlockReader.Block block = reader.next();
      assertThat(block).isNotNull();
      check.add(block);
    }
  }

  @Test
  void readsAgainWhatFoundNoRoomAsManyMapsAtATimeAsFindSome() throws InterruptedException {
    try (BlockReader reader = read(single)) {
      check().all(reader);
      assertThat(reader.bytesRead()).isEqualTo((MAPS + 8) * CHAIN);
    }
    assertThat(held.most).isEqualTo(9 * STORED);
    assertThat(first.fetches).isEqualTo(1 + 4);
    assertThat(first.sentBytes).isEqualTo((MAPS + 8) * CHAIN);
  }

  @Test
  void readsOnceWhatFindsRoom() throws InterruptedException {
    client = client(2 * MAPS * CHAIN);
    try (BlockReader reader = read(single)) {
      check().all(reader);
    }
    assertThat(first.fetches).isEqualTo(1);
  }

  @Test
  void readsWithMemoryForOne() throws InterruptedException {
    client = client(CHAIN);
    try (BlockReader reader = read(single)) {
      check().all(reader);
    }
    assertThat(held.most).isEqualTo(CHAIN);
    assertThat(first.fetches).isEqualTo(1 + MAPS);
  }

  @Test
  void saysOfARecordThatIsTooLongHowLongItIs() {
    client = client(CHAIN - 1);
    try (BlockReader reader = read(single)) {
      assertThatThrownBy(() -> check().all(reader))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BLOCK_TOO_LARGE))
          .hasMessageContaining("map 0 in partition 0 is stored in " + CHAIN + " bytes");
    }
  }

  @Test
  void takesTurnsWithinARangeOfMapsOnly() throws InterruptedException {
    try (BlockReader reader = client.read(single, 0, 1, 3, 8, expected, held)) {
      shuffle.new Check(0, 1, 3, 8).all(reader);
      assertThat(reader.bytesRead()).isEqualTo((5 + 3) * CHAIN);
    }
  }

  @Test
  void aServerThatIsLostInTheSecondRoundIsReplaced() throws InterruptedException {
    ChainedShuffle.Check check = check();
    try (BlockReader reader = read(replicated)) {
      beginSecondRound(reader, check);
      first.up = false;
      first.dropConnections();
      check.all(reader);
    }
    assertThat(second.fetches).isPositive();
  }

  @Test
  void whatIsLostInTheSecondRoundIsMissing() throws InterruptedException {
    ChainedShuffle.Check check = check();
    try (BlockReader reader = read(single)) {
      beginSecondRound(reader, check);
      first.up = false;
      first.dropConnections();
      assertThatThrownBy(() -> check.all(reader))
          .isInstanceOfSatisfying(
              MissingBlocksException.class,
              missing ->
                  assertThat(missing.maps())
                      .isNotEmpty()
                      .extracting(MissingMap::mapIndex)
                      .isSubsetOf(check.lacking()));
    }
  }

  /** All of it is found out before anything is asked for twice. */
  @Test
  void whatIsLostOfThatWhichIsSetAsideIsMissingInTheFirstRound() {
    first.blocks(cluster.shuffle, 0).removeIf(b -> b.mapIndex() > 6 && b.sequence() == 2);
    try (BlockReader reader = read(single)) {
      assertThatThrownBy(() -> check().all(reader))
          .isInstanceOfSatisfying(
              MissingBlocksException.class,
              missing ->
                  assertThat(missing.maps())
                      .extracting(MissingMap::mapIndex)
                      .containsExactly(7, 8, 9));
    }
    assertThat(first.fetches).isEqualTo(1);
  }

  @Test
  void whatComesDamagedInTheSecondRoundIsAskedForAgain() throws InterruptedException {
    ChainedShuffle.Check check = check();
    try (BlockReader reader = read(single)) {
      while (reader.bytesRead() < MAPS * CHAIN) {
        check.add(Objects.requireNonNull(reader.next()));
      }
      first.damagedFetches = 1;
      check.all(reader);
    }
    assertThat(first.damaged).isNotEmpty();
    assertThat(first.fetches).isEqualTo(1 + 4 + 1);
  }

  /** It costs 5 s or 10 until others are asked, and not so in each round. */
  @Test
  void aServerThatHangsIsAskedFirstInOneRoundOnly() throws InterruptedException {
    first.holdsFetchesNanos = Duration.ofHours(1).toNanos();
    try (BlockReader reader = read(replicated)) {
      check().all(reader);
      assertThat(Duration.ofNanos(reader.waitNanos())).isLessThan(Duration.ofSeconds(12));
    }
    assertThat(first.fetches).isEqualTo(1);
    assertThat(second.fetches).isEqualTo(1 + 4);
  }

  @Test
  void onlyWhoMayWaitBeginsARound() throws InterruptedException {
    ChainedShuffle.Check check = check();
    try (BlockReader reader = read(single)) {
      cluster.loop.runFor(Duration.ofSeconds(1).toNanos());
      for (int i = 0; i < 2 * 4; i++) {
        BlockReader.Block block = reader.poll();
        assertThat(block).isNotNull();
        check.add(block);
      }
      assertThat(reader.poll()).isNull();
      cluster.loop.runFor(Duration.ofSeconds(1).toNanos());
      assertThat(reader.poll()).isNull();
      assertThat(first.fetches).isEqualTo(1);
      assertThat(check.lacking()).hasSize(8);
      check.all(reader);
    }
  }

  /** Null would say that all has been delivered. */
  @Test
  void aRoundThatCannotBeginIsNotTheEnd() {
    try (BlockReader reader = read(single)) {
      cluster.loop.runFor(Duration.ofSeconds(1).toNanos());
      while (reader.poll() != null) {
        // What was kept in the first round.
      }
      client.close();
      for (int i = 0; i < MAPS; i++) {
        assertThatThrownBy(reader::next)
            .isInstanceOfSatisfying(
                SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED));
      }
    }
  }

  // ---------------------------------------------------------------------------- several readers

  /** Two that need all there is: the second one waits until the first is closed. */
  @Test
  void waitsForOthersToGiveBackWhatItNeeds() throws InterruptedException {
    client = client(CHAIN);
    ChainedShuffle.Check check = check();
    try (BlockReader other = read(single);
        BlockReader reader = read(single)) {
      assertThat(other.next()).isNotNull();
      cluster.loop.schedule(Duration.ofSeconds(10).toNanos(), other::close);
      check.all(reader);
      assertThat(Duration.ofNanos(reader.waitNanos()))
          .isBetween(Duration.ofSeconds(9), Duration.ofSeconds(12));
    }
    assertThat(held.most).isEqualTo(CHAIN);
  }

  /** Who has it may be a reader of the same task. */
  @Test
  void doesNotWaitForEver() throws InterruptedException {
    client = client(CHAIN);
    try (BlockReader other = read(single);
        BlockReader reader = read(single)) {
      assertThat(other.next()).isNotNull();
      assertThatThrownBy(() -> check().all(reader))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BLOCK_TOO_LARGE))
          .hasMessageContaining("given nothing back for 20 s");
    }
  }

  @Test
  void whoWaitsIsToldThatTheClientIsClosed() throws InterruptedException {
    client = client(CHAIN);
    try (BlockReader other = read(single);
        BlockReader reader = read(single)) {
      assertThat(other.next()).isNotNull();
      cluster.loop.schedule(Duration.ofSeconds(10).toNanos(), client::close);
      assertThatThrownBy(() -> check().all(reader))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED));
    }
  }

  /** A reader that is not read on has its part, and others get on with the rest. */
  @Test
  void aReaderThatRestsIsInNobodysWay() throws InterruptedException {
    client = client(8 * CHAIN);
    try (BlockReader resting = read(single);
        BlockReader reader = read(single)) {
      assertThat(resting.next()).isNotNull();
      assertThat(client.longRecordBytes()).isPositive();
      check().all(reader);
      assertThat(reader.waitNanos()).isLessThan(Duration.ofSeconds(1).toNanos());
    }
  }
}
