package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeServer;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Map outputs that end while others of the same process are in the way, or everything is over. */
class FinishTest {
  private static final int BLOCK = 10_000;

  private final FakeCluster cluster = new FakeCluster(1, 1);
  private final FakeServer server = cluster.servers.get(0);
  private final ShufflePlacement placement = cluster.placement(1);
  private final SluiceClient client =
      cluster.client(ClientConfig.builder().blockDeadline(Duration.ofSeconds(20)).build());

  @AfterEach
  void freesEverything() {
    client.close();
    assertThat(cluster.activeBytes()).as("direct memory left").isZero();
  }

  /** It takes a connection to see that, and no credit. */
  @Test
  void seesThatNothingIsLostThoughOthersWaitForCredit() throws InterruptedException {
    try (MapOutput stored = output(0);
        MapOutput waiting = output(1)) {
      push(stored, BlockHeader.LAST);
      stored.flush();
      cluster.loop.runUntil(() -> !server.blocks(cluster.shuffle, 0).isEmpty());
      cluster.loop.runFor(Duration.ofSeconds(1).toNanos());
      server.seedCredit = 4096;
      server.refuseWants = ErrorCode.NO_MEMORY;
      server.dropConnections();
      cluster.loop.runFor(Duration.ofSeconds(1).toNanos());
      push(waiting, 0);
      waiting.flush();

      stored.finish();

      assertCode(waiting, ErrorCode.NO_MEMORY);
    }
  }

  @Test
  void failsInEveryTaskOnceTheClientIsClosed() throws InterruptedException {
    try (MapOutput one = output(0);
        MapOutput two = output(1)) {
      push(one, 0);
      push(two, 0);
      client.close();
      assertCode(one, ErrorCode.CANCELLED);
      assertCode(two, ErrorCode.CANCELLED);
    }
  }

  private MapOutput output(int map) {
    return client.openMapOutput(placement, map, 100 + map);
  }

  private static void push(MapOutput output, int flags) throws InterruptedException {
    output.beginBlock(0, BLOCK).put(new byte[BLOCK]);
    output.endBlock(BLOCK, BLOCK, 1, flags);
  }

  private static void assertCode(MapOutput output, ErrorCode code) {
    assertThatThrownBy(output::finish)
        .isInstanceOfSatisfying(SluiceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
