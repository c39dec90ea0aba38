package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.client.fake.StoredBlock;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.TransportLimits;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FetchTest extends FetchFixture {
  @Test
  void asksEachServerOnce() throws InterruptedException {
    assertThat(count(read(0, PARTITIONS))).isEqualTo(MAPS * PARTITIONS);
    assertThat(server.fetches).isEqualTo(1);
    assertThat(cluster.servers.get(1).fetches).isEqualTo(1);
  }

  @Test
  void asksNobodyWhenNothingIsExpected() throws InterruptedException {
    ExpectedMaps none = ArrayExpectedMaps.builder(0, PARTITIONS).build();
    try (BlockReader reader = client.read(placement, 0, PARTITIONS, 0, MAPS, none)) {
      assertThat(reader.next()).isNull();
    }
    try (BlockReader reader = client.read(placement, 1, 1, 0, MAPS, expected(1, 1))) {
      assertThat(reader.next()).isNull();
    }
    assertThat(server.fetches + cluster.servers.get(1).fetches).isZero();
  }

  @Test
  void asksBeforeAnybodyWaits() throws InterruptedException {
    try (SluiceClient roomy = cluster.client(ClientConfig.defaults())) {
      BlockReader reader = roomy.read(placement, 0, PARTITIONS, 0, MAPS, expected(0, PARTITIONS));
      cluster.loop.runFor(Duration.ofSeconds(1).toNanos());
      assertThat(server.fetches).isEqualTo(1);
      assertThat(cluster.servers.get(1).fetches).isEqualTo(1);
      assertThat(count(reader)).isEqualTo(MAPS * PARTITIONS);
      assertThat(reader.waitNanos()).as("everything had landed").isZero();
    }
  }

  @Test
  void holdsNoMoreThanItsCreditUntilSomebodyReads() throws InterruptedException {
    ExpectedMaps many = writeLongOutput(400);
    BlockReader reader = client.read(placement, 0, 1, 0, 10, many);
    cluster.loop.runFor(Duration.ofSeconds(60).toNanos());
    assertThat(cluster.activeBytes()).isBetween(400L * 1024, 1024L * 1024);
    reader.close();
    cluster.loop.runFor(Duration.ofSeconds(1).toNanos());
    assertThat(cluster.activeBytes()).isZero();
  }

  @Test
  void aReaderThatKeepsUpCostsOneFrameOfCreditForManyPieces() throws InterruptedException {
    int blocks = 4000;
    ExpectedMaps many = writeLongOutput(blocks);
    long credit = 4L << 20;
    try (SluiceClient roomy =
        cluster.client(ClientConfig.builder().readerCreditBytes(credit).build())) {
      assertThat(count(roomy.read(placement, 0, 1, 0, 10, many))).isEqualTo(blocks);
    }
    long bytes = blocks * (long) (BLOCK + BlockHeader.LENGTH);
    // Half the share a frame, but for what is still unconsumed: at most one piece.
    long least = credit / 2 - TransportLimits.MAX_DATA_BYTES;
    assertThat(server.fetchCredits).isBetween(1, (int) (bytes / least) + 1);
  }

  @Test
  void aTaskMayTakeLongerThanTheDeadlineForWhatItHasGot() throws InterruptedException {
    int blocks = 1000;
    ExpectedMaps many = writeLongOutput(blocks);
    try (BlockReader reader = client.read(placement, 0, 1, 0, 10, many)) {
      for (int read = 1; reader.next() != null; read++) {
        if (read % 50 == 0) {
          cluster.loop.runFor(Duration.ofSeconds(45).toNanos());
        }
        assertThat(read).isLessThanOrEqualTo(blocks);
      }
    }
    assertThat(server.fetches).as("the stream was never given up").isEqualTo(1);
  }

  @Test
  void aSlowTaskStillNoticesAServerThatStalls() throws InterruptedException {
    int blocks = 1000;
    ExpectedMaps many = writeLongOutput(blocks);
    try (BlockReader reader = client.read(placement, 0, 1, 0, 10, many)) {
      for (int read = 1; read < 200; read++) {
        assertThat(reader.next()).isNotNull();
        if (read % 50 == 0) {
          cluster.loop.runFor(Duration.ofSeconds(45).toNanos());
        }
      }
      server.silent = true;
      assertThatThrownBy(() -> count(reader))
          .isInstanceOfSatisfying(
              MissingBlocksException.class,
              missing -> assertThat(missing.code()).isEqualTo(ErrorCode.TIMED_OUT));
      assertThat(reader.waitNanos())
          .isBetween(Duration.ofSeconds(20).toNanos(), Duration.ofSeconds(41).toNanos());
    }
  }

  @Test
  void listsAllMapsThatAreMissingOnAnyServer() {
    server.blocks(cluster.shuffle, 0).removeIf(block -> block.mapIndex() == 1);
    cluster.servers.get(1).blocks(cluster.shuffle, 3).removeIf(block -> block.mapIndex() != 1);

    assertThatThrownBy(() -> count(read(0, PARTITIONS)))
        .isInstanceOfSatisfying(
            MissingBlocksException.class,
            missing -> {
              assertThat(missing.code()).isEqualTo(ErrorCode.DATA_LOST);
              assertThat(missing.shuffle()).isEqualTo(cluster.shuffle);
              assertThat(missing.maps())
                  .extracting(MissingMap::mapIndex, MissingMap::partition)
                  .containsExactlyInAnyOrder(
                      org.assertj.core.groups.Tuple.tuple(0, 3),
                      org.assertj.core.groups.Tuple.tuple(1, 0),
                      org.assertj.core.groups.Tuple.tuple(2, 3));
            })
        .hasMessageContaining(server.placed().toString())
        .hasMessageContaining(cluster.servers.get(1).placed().toString())
        .hasMessageContaining("map 1 attempt 101 partition 0 block 0");
  }

  @Test
  void neverTakesARemovedShuffleForAnEmptyOne() {
    server.remove(cluster.shuffle);
    assertMissing(ErrorCode.UNKNOWN_SHUFFLE, MAPS);
    assertThat(server.fetches).as("asked only once").isEqualTo(1);
  }

  @Test
  void neverTakesARestartedServerForAnEmptyOne() {
    PlacedServer placed = server.placed();
    server.restart(true);
    assertThatThrownBy(() -> count(read(0, PARTITIONS)))
        .isInstanceOfSatisfying(
            MissingBlocksException.class,
            missing -> {
              assertThat(missing.code()).isEqualTo(ErrorCode.STALE_INCARNATION);
              assertThat(missing.maps()).hasSize(MAPS);
              assertThat(missing.laterLives()).containsExactly(placed.inLife(2));
            });
  }

  @Test
  void looksASecondTimeAtADamagedBlock() throws InterruptedException {
    server.damagedFetches = 1;
    assertThat(count(read(0, PARTITIONS))).isEqualTo(MAPS * PARTITIONS);
    assertThat(server.fetches).isEqualTo(2);
  }

  @Test
  void reportsABlockThatStaysDamaged() {
    server.damagedFetches = 2;
    assertMissing(ErrorCode.CORRUPT_BLOCK, MAPS);
    assertThat(server.fetches).isEqualTo(2);
    cluster.loop.runFor(1_000_000_000);
    assertThat(server.damaged)
        .as("what the server was told: one block of each fetch")
        .hasSize(2)
        .allSatisfy(block -> assertThat(block.partition()).isZero());
  }

  /** What comes behind it is taken for its payload, to the end of the stream. */
  @Test
  void reportsABlockWhoseLengthIsDamaged() {
    List<StoredBlock> blocks = server.blocks(cluster.shuffle, 0);
    StoredBlock last = blocks.get(MAPS - 1);
    blocks.set(MAPS - 1, last.withStoredLength(BLOCK + 1));
    assertMissing(ErrorCode.CORRUPT_BLOCK, 1);
    cluster.loop.runFor(1_000_000_000);
    assertThat(server.damaged)
        .as("what the server was told: where the block is, once for each fetch")
        .extracting(DamagedBlock::partition)
        .containsExactly(0, 0);
    blocks.set(MAPS - 1, last);
    blocks.set(0, blocks.get(0).withStoredLength(4 << 20));
    assertMissing(ErrorCode.CORRUPT_BLOCK, MAPS);
  }

  /** A server looks for what hides other blocks, and takes it out, before it answers again. */
  @Test
  void waitsForAServerThatLooksForDamage() {
    List<StoredBlock> blocks = server.blocks(cluster.shuffle, 0);
    blocks.set(0, blocks.get(0).withStoredLength(4 << 20));
    int hides = blocks.get(0).mapIndex();
    server.onDamaged =
        () -> {
          server.holdsFetchesNanos = Duration.ofSeconds(15).toNanos();
          cluster.loop.schedule(Duration.ofSeconds(14).toNanos(), () -> blocks.remove(0));
        };

    assertThatThrownBy(() -> count(read(0, PARTITIONS)))
        .isInstanceOfSatisfying(
            MissingBlocksException.class,
            missing ->
                assertThat(missing.maps()).extracting(MissingMap::mapIndex).containsExactly(hides));
    assertThat(server.fetches).isEqualTo(2);
  }

  @Test
  void readsBlocksLargerThanItsCredit() throws InterruptedException {
    int large = 3 << 20;
    try (MapOutput output = client.openMapOutput(placement, MAPS, 100 + MAPS)) {
      for (int i = 0; i < 3; i++) {
        output.beginBlock(0, large).put(new byte[large]);
        output.endBlock(large, large, 1, i == 2 ? BlockHeader.LAST : 0);
      }
      output.finish();
    }
    ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(0, 1);
    expected.nonEmpty(expected.add(MAPS, 100 + MAPS), 0);
    try (BlockReader reader = client.read(placement, 0, 1, 0, 10, expected.build())) {
      assertThat(count(reader)).isEqualTo(3);
      assertThat(reader.bytesRead()).isGreaterThan(3L * large);
    }
  }

  @Test
  void refusesARecordThatSpansMoreThanItMayHold() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, MAPS, 100 + MAPS)) {
      for (int i = 0; i < 3; i++) {
        output.beginBlock(0, 400_000).put(new byte[400_000]);
        output.endBlock(400_000, 400_000, 1, i == 2 ? BlockHeader.LAST : BlockHeader.CONTINUES);
      }
      output.finish();
    }
    ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(0, 1);
    expected.nonEmpty(expected.add(MAPS, 100 + MAPS), 0);
    assertThatThrownBy(() -> count(client.read(placement, 0, 1, 0, 10, expected.build())))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BLOCK_TOO_LARGE));
  }

  @Test
  void tellsHowLongARecordIsBeforeAllOfItIsDelivered() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, MAPS, 100 + MAPS)) {
      for (int i = 0; i < 4; i++) {
        output.beginBlock(0, 100_000).put(new byte[100_000]);
        output.endBlock(100_000, 150_000, 1, i == 3 ? BlockHeader.LAST : BlockHeader.CONTINUES);
      }
      output.finish();
    }
    ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(0, 1);
    expected.nonEmpty(expected.add(MAPS, 100 + MAPS), 0);
    List<Long> lengths = new ArrayList<>();
    try (BlockReader reader = client.read(placement, 0, 1, 0, 10, expected.build())) {
      for (BlockReader.Block block = reader.next(); block != null; block = reader.next()) {
        lengths.add(block.chainRawLength());
      }
    }
    assertThat(lengths).containsExactly(600_000L, 450_000L, 300_000L, 150_000L);
  }

  @Test
  void neverEndsInsideARecord() {
    // No map output of ours writes this: a last block whose last record goes on.
    ByteBuffer bytes = ByteBuffer.allocate(BlockHeader.LENGTH);
    int flags = BlockHeader.LAST | BlockHeader.CONTINUES;
    BlockHeader.write(bytes, 0, flags, 0, 9, 109, 0, 0, 0, 1);
    BlockHeader.seal(bytes, 0, new Crc32c());
    server.blocks(cluster.shuffle, 0).add(new StoredBlock(bytes.array()));
    ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(0, 1);
    expected.nonEmpty(expected.add(9, 109), 0);
    assertThatThrownBy(() -> count(client.read(placement, 0, 1, 0, 10, expected.build())))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INTERNAL_ERROR));
  }

  @Test
  void objectsToRecordsWhereTheEngineExpectsNone() {
    ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(0, 1);
    expected.nonEmpty(expected.add(0, 100), 0);
    expected.add(1, 101);
    assertThatThrownBy(() -> count(client.read(placement, 0, 1, 0, MAPS, expected.build())))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INTERNAL_ERROR));
  }

  @Test
  void freesWhatHasLandedWhenClosedEarly() throws InterruptedException {
    BlockReader reader = read(0, PARTITIONS);
    assertThat(reader.next()).isNotNull();
    reader.close();
    reader.close();
    assertThat(reader.next()).isNull();
    cluster.loop.runFor(Duration.ofSeconds(1).toNanos());
    assertThat(cluster.activeBytes()).isZero();
  }

  @Test
  void readsTheUnionOfEpochs() throws InterruptedException {
    // The second epoch sends every partition to server 1; map 3 is written there.
    FixedPlacement later =
        cluster
            .placement(PARTITIONS)
            .withEpoch(List.of(cluster.servers.get(1).placed()), 1, new int[PARTITIONS]);
    try (MapOutput output = client.openMapOutput(later, MAPS, 100 + MAPS)) {
      output.beginBlock(0, BLOCK).put(new byte[BLOCK]);
      output.endBlock(BLOCK, BLOCK, 1, BlockHeader.LAST);
      output.finish();
    }
    assertThat(cluster.servers.get(1).blocks(cluster.shuffle, 0)).hasSize(1);
    ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(0, 1);
    for (int map = 0; map <= MAPS; map++) {
      expected.nonEmpty(expected.add(map, 100 + map), 0);
    }
    assertThat(count(client.read(later, 0, 1, 0, 10, expected.build()))).isEqualTo(MAPS + 1);
  }

  /** A long output of one more map for partition 0; what there is to expect of it. */
  private ExpectedMaps writeLongOutput(int blocks) throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, MAPS, 100 + MAPS)) {
      for (int i = 0; i < blocks; i++) {
        output.beginBlock(0, BLOCK).put(new byte[BLOCK]);
        output.endBlock(BLOCK, BLOCK, 1, i == blocks - 1 ? BlockHeader.LAST : 0);
      }
      output.finish();
    }
    ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(0, 1);
    expected.nonEmpty(expected.add(MAPS, 100 + MAPS), 0);
    return expected.build();
  }
}
