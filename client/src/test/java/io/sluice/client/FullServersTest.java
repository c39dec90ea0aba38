package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeDriver;
import io.sluice.client.fake.FakeServer;
import io.sluice.client.placement.Placements;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Servers that are there and grant nobody anything, each of which says so after half a minute. The
 * driver takes note of none: those that a writer does not name are good again.
 */
class FullServersTest {
  private static final int BLOCK = 10_000;
  private static final int PARTITIONS = 3;

  private final FakeCluster cluster = new FakeCluster(3, 1);

  private void fill(int count) {
    for (FakeServer server : cluster.servers.subList(0, count)) {
      server.seedCredit = 4096;
      server.refusesAfterNanos = seconds(30);
      server.refuseWants = ErrorCode.NO_MEMORY;
    }
  }

  private void write(FakeDriver driver) throws InterruptedException {
    ClientConfig config =
        ClientConfig.builder()
            .frameBytes(32 * 1024)
            .maxBlockBytes(64 * 1024)
            .maxInFlightBytes(256 * 1024)
            // Pings are the transport's, which these servers do without.
            .suspectAfter(Duration.ofMinutes(10))
            .build();
    try (SluiceClient client = cluster.client(config, Placements.from(driver))) {
      try (MapOutput output = client.openMapOutput(driver.placement(), 0, 0)) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
          ByteBuffer payload = output.beginBlock(partition, BLOCK);
          payload.put(new byte[BLOCK]);
          output.endBlock(BLOCK, BLOCK, 1, BlockHeader.LAST);
        }
        output.finish();
      }
    }
    assertThat(cluster.activeBytes()).as("direct memory left").isZero();
  }

  /** From the first refusal on the block deadline of two minutes runs, wherever blocks are sent. */
  @Test
  void anAttemptThatIsSentFromOneToTheNextEndsAtTheBlockDeadline() {
    fill(3);
    FakeDriver driver = cluster.driver(cluster.placement(PARTITIONS));
    assertThatThrownBy(() -> write(driver))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_MEMORY));
    assertThat(cluster.loop.now()).isBetween(seconds(150), seconds(190));
    assertThat(driver.placement().epochs()).isLessThanOrEqualTo(6);
  }

  @Test
  void oneThatWasFullIsTriedAgainBeforeTheDeadline() throws InterruptedException {
    fill(3);
    FakeServer first = cluster.servers.get(0);
    cluster.loop.schedule(seconds(100), () -> first.refuseWants = null);
    write(cluster.driver(cluster.placement(PARTITIONS)));
    assertThat(first.blocks(cluster.shuffle, 1)).as("of another server's partition").isNotEmpty();
  }

  /** Two of three are full: what would make no third set of two makes one of one. */
  @Test
  void setsDoWithoutThoseThatAreFullForLong() throws InterruptedException {
    fill(2);
    FakeDriver driver = cluster.driver(cluster.replicated(PARTITIONS, 2));
    write(driver);
    FixedPlacement now = driver.placement();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      int epoch = now.epochOf(partition, now.epochs() - 1);
      assertThat(now.replicas(epoch)).isEqualTo(1);
      assertThat(now.servers().get(now.server(epoch, partition, 0)))
          .isEqualTo(cluster.servers.get(2).placed());
    }
    assertThat(cluster.loop.now()).isBetween(seconds(60), seconds(115));
    assertThat(now.epochs()).isLessThanOrEqualTo(8);
  }

  private static long seconds(int seconds) {
    return Duration.ofSeconds(seconds).toNanos();
  }
}
