package io.sluice.transport.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Clock;
import io.sluice.transport.ConnectionCount;
import io.sluice.transport.ConnectionLimits;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.DataServer;
import io.sluice.transport.RecordingClient;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.StoringSession;
import io.sluice.transport.Transport;
import io.sluice.transport.netty.DataConnector;
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.netty.NettyConnector;
import io.sluice.transport.netty.NettyServer;
import io.sluice.transport.session.ClientAuthenticator;
import io.sluice.transport.session.ClientSettings;
import io.sluice.transport.session.ServerAuthenticator;
import io.sluice.transport.session.ServerSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A port may be this process's before there is anything behind it. */
@Timeout(60)
final class HeldPortTest {
  private static final ServerSettings SETTINGS =
      new ServerSettings(
          () -> new ServerIdentity(ServerId.of(1, 2), 3),
          ServerAuthenticator.none(),
          ConnectionLimits.of(1, 1 << 20),
          ConnectionTimeouts.defaults(),
          true);

  private final InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  private final ClientSettings client =
      new ClientSettings(new UUID(7, 8), ClientAuthenticator.none(), ConnectionTimeouts.defaults());

  @ParameterizedTest
  @EnumSource
  void whoComesBeforeItIsOpenedIsClosedAtOnceAndWhoComesThenIsServed(Transport transport)
      throws Exception {
    UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(true);
    EventLoops loops = EventLoops.open("held", 1, alloc, Clock.system());
    ConnectionCount count = ConnectionCount.shut(1);
    ServerSessionFactory sessions =
        (peer, link) -> {
          assertThat(count.isFull()).as("open").isFalse();
          return new ServerSessionFactory.Accepted(new StoringSession(link), 1 << 20);
        };
    boolean grpc = transport == Transport.GRPC;
    DataConnector connector =
        grpc
            ? new GrpcConnector(loops, client, Runnable::run)
            : new NettyConnector(loops, client, Runnable::run);
    try (DataServer server =
        grpc
            ? GrpcServer.bind(loops, any, SETTINGS, sessions, count)
            : NettyServer.bind(loops, any, SETTINGS, sessions, count)) {
      for (int i = 0; i < 3; i++) {
        assertThat(connect(connector, server).awaitClosed())
            .isIn(ErrorCode.CONNECTION_LOST, ErrorCode.CONNECT_FAILED);
      }
      assertThat(server.connections()).isZero();

      count.open();
      assertThat(connect(connector, server).link.get(20, TimeUnit.SECONDS)).isNotNull();
    } finally {
      loops.close();
    }
    assertThat(alloc.metric().usedDirectMemory()).isZero();
  }

  private static RecordingClient connect(DataConnector connector, DataServer server) {
    RecordingClient session = new RecordingClient();
    connector.connect("127.0.0.1", server.address().getPort(), null, session);
    return session;
  }
}
