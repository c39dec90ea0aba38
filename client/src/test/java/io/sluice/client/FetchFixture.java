package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeServer;
import io.sluice.common.error.ErrorCode;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Two servers with one block of each map for each partition, and a client that reads them. */
abstract class FetchFixture {
  static final int PARTITIONS = 4;
  static final int MAPS = 3;
  static final int BLOCK = 5_000;
  static final UniformShuffle SHUFFLE = new UniformShuffle(MAPS, PARTITIONS, BLOCK);

  final FakeCluster cluster = new FakeCluster(2, 1);
  final FakeServer server = cluster.servers.get(0);
  final ShufflePlacement placement = cluster.placement(PARTITIONS);
  final SluiceClient client =
      cluster.client(
          ClientConfig.builder()
              .maxBlockBytes(4 << 20)
              .maxInFlightBytes(16 << 20)
              .readerCreditBytes(512 * 1024)
              .maxSpanningRecordBytes(1 << 20)
              .blockDeadline(Duration.ofSeconds(20))
              .reconnectDeadline(Duration.ofSeconds(5))
              .build());

  @BeforeEach
  void writeEveryMapToEveryPartition() throws InterruptedException {
    SHUFFLE.write(client, placement);
  }

  @AfterEach
  void freesEverything() {
    client.close();
    assertThat(cluster.activeBytes()).as("direct memory left").isZero();
  }

  void assertMissing(ErrorCode code, int maps) {
    assertThatThrownBy(() -> count(read(0, 1)))
        .isInstanceOfSatisfying(
            MissingBlocksException.class,
            missing -> {
              assertThat(missing.code()).as(missing.getMessage()).isEqualTo(code);
              assertThat(missing.maps()).hasSize(maps);
            })
        .hasMessageContaining(server.placed().id().toString());
  }

  BlockReader read(int first, int end) {
    return SHUFFLE.read(client, placement, first, end);
  }

  static ExpectedMaps expected(int first, int end) {
    return SHUFFLE.expected(first, end);
  }

  static int count(BlockReader reader) throws InterruptedException {
    return UniformShuffle.count(reader);
  }
}
