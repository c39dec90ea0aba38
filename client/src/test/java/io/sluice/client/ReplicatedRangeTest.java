package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeServer;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A reader of many partitions, of which every server holds some as the first of the set and others
 * as a further member: what it asks each for, and when it asks another one.
 */
class ReplicatedRangeTest {
  private static final int SERVERS = 3;
  private static final int PARTITIONS = 24;
  private static final int MAPS = 3;
  private static final UniformShuffle SHUFFLE = new UniformShuffle(MAPS, PARTITIONS, 10_000);
  private static final long RANGE_BYTES = PARTITIONS * SHUFFLE.partitionBytes();

  private final FakeCluster cluster = new FakeCluster(SERVERS, 1);
  private final SluiceClient client =
      cluster.client(
          ClientConfig.builder()
              .suspectAfter(Duration.ofSeconds(5))
              .blockDeadline(Duration.ofSeconds(20))
              .reconnectDeadline(Duration.ofSeconds(20))
              .build());

  @AfterEach
  void freesEverything() {
    client.close();
    assertThat(cluster.activeBytes()).as("direct memory left").isZero();
  }

  /** Runs of partitions with the same set, the first of which takes turns. */
  private ShufflePlacement write(int replicas, int runLength) throws InterruptedException {
    int[] assignment = new int[PARTITIONS * replicas];
    for (int partition = 0; partition < PARTITIONS; partition++) {
      for (int replica = 0; replica < replicas; replica++) {
        assignment[partition * replicas + replica] = (partition / runLength + replica) % SERVERS;
      }
    }
    ShufflePlacement placement =
        FixedPlacement.of(
            cluster.shuffle,
            PARTITIONS,
            cluster.servers.stream().map(FakeServer::placed).toList(),
            replicas,
            assignment);
    SHUFFLE.write(client, placement);
    return placement;
  }

  private BlockReader read(ShufflePlacement placement) {
    return SHUFFLE.read(client, placement);
  }

  private static void assertWhole(BlockReader reader) throws InterruptedException {
    assertThat(UniformShuffle.count(reader)).isEqualTo(SHUFFLE.blocks());
  }

  private long sent() {
    return cluster.servers.stream().mapToLong(server -> server.sentBytes).sum();
  }

  private int fetches() {
    return cluster.servers.stream().mapToInt(server -> server.fetches).sum();
  }

  @ParameterizedTest(name = "{0} replicas, runs of {1}")
  @CsvSource({"1,1", "2,1", "2,4", "2,8", "3,1", "3,4", "3,8"})
  void everyByteIsSentOnce(int replicas, int runLength) throws InterruptedException {
    BlockReader reader = read(write(replicas, runLength));
    assertWhole(reader);
    assertThat(sent()).as("sent by all servers").isEqualTo(RANGE_BYTES);
    assertThat(reader.bytesRead()).isEqualTo(RANGE_BYTES);
  }

  @Test
  void aServerGetsOneRequestForWhatNobodyElseIsAskedFor() throws InterruptedException {
    assertWhole(read(write(1, 4)));
    assertThat(fetches()).isEqualTo(SERVERS);
  }

  @Test
  void aServerGetsOneRequestForEachRunAndFewAtATime() throws InterruptedException {
    assertWhole(read(write(3, 4)));
    assertThat(fetches()).isEqualTo(PARTITIONS / 4);
    assertWhole(read(write(3, 1)));
    assertThat(cluster.servers).allMatch(server -> server.mostStreams == 2);
  }

  /** A range of which a reader needs nothing is no reason for another request. */
  @Test
  void partitionsWithoutRowsDoNotCutRuns() throws InterruptedException {
    ShufflePlacement placement = write(3, PARTITIONS);
    ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(0, PARTITIONS);
    int position = expected.add(MAPS, 100 + MAPS);
    expected.nonEmpty(position, 3);
    expected.nonEmpty(position, 20);
    try (MapOutput output = client.openMapOutput(placement, MAPS, 100 + MAPS)) {
      for (int partition : new int[] {3, 20}) {
        output.beginBlock(partition, 100).put(new byte[100]);
        output.endBlock(100, 100, 1, BlockHeader.LAST);
      }
      output.finish();
    }
    try (BlockReader reader =
        client.read(placement, 0, PARTITIONS, MAPS, MAPS + 1, expected.build())) {
      assertThat(reader.next()).isNotNull();
      assertThat(reader.next()).isNotNull();
      assertThat(reader.next()).isNull();
    }
    assertThat(fetches()).isEqualTo(1);
  }

  /** Not one after the other: each would take as long. */
  @Test
  void allThatASilentServerWasToBringIsAskedOfOthersAtOnce() throws InterruptedException {
    ShufflePlacement placement = write(2, 1);
    cluster.servers.get(0).silent = true;
    long before = cluster.loop.now();
    assertWhole(read(placement));
    assertThat(cluster.loop.now() - before).isBetween(seconds(4), seconds(7));
  }

  @Test
  void allThatALostServerWasToBringIsAskedOfOthersAtOnce() throws InterruptedException {
    ShufflePlacement placement = write(2, 1);
    lose(0);
    long before = cluster.loop.now();
    assertWhole(read(placement));
    assertThat(cluster.loop.now() - before).isLessThan(seconds(1));
    assertThat(sent()).isEqualTo(RANGE_BYTES);
  }

  @Test
  void whatNobodyHasIsMissingAfterOneDeadline() throws InterruptedException {
    ShufflePlacement placement = write(2, 1);
    lose(0);
    lose(1);
    long before = cluster.loop.now();
    assertThatThrownBy(() -> assertWhole(read(placement)))
        .isInstanceOfSatisfying(
            MissingBlocksException.class,
            missing -> {
              assertThat(missing.maps()).hasSize(MAPS);
              assertThat(missing.code()).isEqualTo(ErrorCode.CONNECT_FAILED);
              assertThat(missing.complaints()).as("one for each server").hasSize(2);
              assertThat(missing.isOutOfReach()).isTrue();
            });
    assertThat(cluster.loop.now() - before).isBetween(seconds(19), seconds(25));
  }

  @Test
  void whatAServerSaysThatItHasLostIsNotOutOfReachBesideOneThatIsAway()
      throws InterruptedException {
    ShufflePlacement placement = write(2, 1);
    lose(0);
    for (int i = 0; i < 1_000; i++) {
      cluster.servers.get(1).failFetches.add(ErrorCode.DATA_LOST);
    }
    assertThatThrownBy(() -> assertWhole(read(placement)))
        .isInstanceOfSatisfying(
            MissingBlocksException.class,
            missing -> {
              assertThat(missing.complaints()).as("of the one that is away").hasSize(1);
              assertThat(missing.isOutOfReach()).isFalse();
            });
  }

  @Test
  void whatSilentServersHaveIsMissingAfterOneDeadline() throws InterruptedException {
    ShufflePlacement placement = write(2, 1);
    cluster.servers.get(0).silent = true;
    cluster.servers.get(1).silent = true;
    long before = cluster.loop.now();
    assertThatThrownBy(() -> assertWhole(read(placement)))
        .isInstanceOfSatisfying(
            MissingBlocksException.class,
            missing -> {
              assertThat(missing.maps()).hasSize(MAPS);
              assertThat(missing.code()).isEqualTo(ErrorCode.TIMED_OUT);
            });
    assertThat(cluster.loop.now() - before).isBetween(seconds(19), seconds(50));
  }

  /** One that sends on another stream has not gone: what waits there for its turn stays. */
  @Test
  void aStreamThatStandsStillAtAServerThatSendsCostsNoOtherRun() throws InterruptedException {
    ShufflePlacement placement = write(2, 1);
    FakeServer server = cluster.servers.get(0);
    // Of two runs at once one brings nothing, and a block of the other one takes half a minute.
    server.bytesPerSecond = partition -> partition == 0 ? 0 : partition == SERVERS ? 400 : -1;
    long before = cluster.loop.now();
    assertWhole(read(placement));
    assertThat(cluster.loop.now() - before).as("as long as that takes").isGreaterThan(seconds(60));
    assertThat(server.fetches).as("each run of its own").isEqualTo(PARTITIONS / SERVERS);
    assertThat(sent()).isEqualTo(RANGE_BYTES);
  }

  /** The failures of a server count together, or each run would be tried as often as one. */
  @ParameterizedTest
  @EnumSource(names = {"INTERNAL_ERROR", "DISK_FAILED", "TOO_MANY_STREAMS"})
  void aServerThatFailsEveryRequestIsSoonAskedOnlyOnceForEachRun(ErrorCode failure)
      throws InterruptedException {
    ShufflePlacement placement = write(2, 1);
    FakeServer broken = cluster.servers.get(0);
    for (int i = 0; i < 1_000; i++) {
      broken.failFetches.add(failure);
    }
    assertWhole(read(placement));
    int runs = PARTITIONS / SERVERS;
    assertThat(broken.fetches).isBetween(runs, 12 + runs);
    assertThat(sent()).isEqualTo(RANGE_BYTES);
  }

  @Test
  void aBrokenConnectionCostsOnlyTheRunsThatWereUnderWay() throws InterruptedException {
    ShufflePlacement placement = write(3, 1);
    BlockReader reader = read(placement);
    List<Integer> seen = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      BlockReader.Block block = reader.next();
      assertThat(block).isNotNull();
      seen.add(block.partition());
    }
    cluster.servers.get(0).dropConnections();
    int rest = 0;
    while (reader.next() != null) {
      rest++;
    }
    reader.close();
    assertThat(seen.size() + rest).isEqualTo(PARTITIONS * MAPS);
    assertThat(sent()).isBetween(RANGE_BYTES, RANGE_BYTES + 2 * RANGE_BYTES / PARTITIONS);
  }

  private void lose(int server) {
    cluster.servers.get(server).up = false;
    cluster.servers.get(server).dropConnections();
  }

  private static long seconds(int seconds) {
    return Duration.ofSeconds(seconds).toNanos();
  }
}
