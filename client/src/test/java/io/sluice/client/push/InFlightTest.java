package io.sluice.client.push;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.client.ClientConfig;
import io.sluice.client.PlacedServer;
import io.sluice.client.TaskSignal;
import io.sluice.client.connection.ConnectionPool;
import io.sluice.client.connection.PushFrame;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.placement.Placements;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a map output's thread is told of frames that come back while it is busy. */
class InFlightTest {
  private final FakeCluster cluster = new FakeCluster(1, 1);
  private final InFlight inFlight = new InFlight(new NoWait(), cluster.loop.clock());
  private final PlacedServer server = cluster.servers.get(0).placed();
  private final ServerLane lane =
      new ServerLane(
          cluster.placement(1),
          Placements.fixed(),
          List.of(server),
          new ConnectionPool(cluster, ClientConfig.defaults(), Placements.fixed())
              .get(server, cluster.shuffle),
          inFlight);

  /** They may come between sending the last frame and waiting for its answer. */
  @Test
  void framesThatCameBackBeforeTheWaitAreNotTakenForAnswered() throws InterruptedException {
    ByteBuf buffer = Unpooled.directBuffer(64, 64);
    PushFrame frame = new PushFrame(buffer, lane, 1);
    inFlight.add(frame.capacity());
    inFlight.giveBack(
        new ReturnedFrame(
            frame, lane, new SluiceException(ErrorCode.CONNECT_FAILED, "gone"), List.of()));
    assertThat(inFlight.awaitAtMost(0, 0)).isFalse();
    inFlight.close();
    assertThat(inFlight.awaitAtMost(0, 0)).isTrue();
  }

  private static final class NoWait implements TaskSignal {
    @Override
    public void signal() {}

    @Override
    public void await() {
      throw new AssertionError("there is nothing to wait for");
    }
  }
}
