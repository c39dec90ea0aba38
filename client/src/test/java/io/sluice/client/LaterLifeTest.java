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
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The only server was killed and is back before the driver has heard of it. */
class LaterLifeTest {
  private final FakeCluster cluster = new FakeCluster(1, 1);
  private final FakeServer server = cluster.servers.get(0);
  private final FakeDriver driver = cluster.driver(cluster.placement(1));
  private final SluiceClient client =
      cluster.client(ClientConfig.builder().build(), Placements.from(driver));

  @BeforeEach
  void restart() {
    server.restart(false);
    driver.refuses = true;
  }

  @AfterEach
  void freesEverything() {
    client.close();
    assertThat(cluster.activeBytes()).as("direct memory left").isZero();
  }

  @Test
  void blocksGoThereOnceTheDriverHasHeard() throws InterruptedException {
    cluster.loop.schedule(Duration.ofSeconds(3).toNanos(), () -> driver.refuses = false);
    write();
    assertThat(server.blocks(cluster.shuffle, 0)).hasSize(1);
    assertThat(driver.asked.size()).as("asks, with pauses").isBetween(3, 10);
  }

  @Test
  void theAttemptFailsIfTheDriverNeverHears() {
    long before = cluster.loop.now();
    assertThatThrownBy(this::write)
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.STALE_INCARNATION));
    assertThat(cluster.loop.now() - before)
        .isBetween(Duration.ofSeconds(10).toNanos(), Duration.ofSeconds(60).toNanos());
  }

  private void write() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(driver.placement(), 0, 1)) {
      output.beginBlock(0, 1_000).put(new byte[1_000]);
      output.endBlock(1_000, 1_000, 1, BlockHeader.LAST);
      output.finish();
    }
  }
}
