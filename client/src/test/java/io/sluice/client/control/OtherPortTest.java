package io.sluice.client.control;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Clock;
import io.sluice.transport.ConnectionLimits;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.netty.NettyServer;
import io.sluice.transport.session.ServerAuthenticator;
import io.sluice.transport.session.ServerSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A list of coordinators that names the data port of a server. */
@Timeout(60)
class OtherPortTest {
  @Test
  void isToldAsThatAndNotAsAFailureOfHttp2() {
    try (EventLoops loops =
            EventLoops.open("data", 1, UnpooledByteBufAllocator.DEFAULT, Clock.system());
        NettyServer server =
            NettyServer.bind(
                loops,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new ServerSettings(
                    () -> new ServerIdentity(ServerId.of(1, 2), 3),
                    ServerAuthenticator.none(),
                    ConnectionLimits.of(8, 1 << 20),
                    ConnectionTimeouts.defaults(),
                    true),
                (peer, link) -> {
                  throw new AssertionError("nobody is let in");
                });
        CoordinatorClient client =
            CoordinatorClient.open(
                new CoordinatorClientConfig(
                    List.of(new HostPort("127.0.0.1", server.address().getPort())),
                    Duration.ofSeconds(2),
                    Duration.ofSeconds(1)))) {
      assertThatThrownBy(client::getCluster)
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining("no coordinator answered")
          .hasMessageContaining("does not speak the protocol of coordinators")
          .hasMessageNotContaining("http2");
    }
  }
}
