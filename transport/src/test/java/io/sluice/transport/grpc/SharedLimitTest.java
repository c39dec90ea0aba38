package io.sluice.transport.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
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
import io.sluice.transport.frame.FrameHeader;
import io.sluice.transport.frame.FrameType;
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
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process that listens for both transports has one limit of connections. */
@Timeout(60)
final class SharedLimitTest {
  private final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(true);
  private final EventLoops loops = EventLoops.open("shared", 1, alloc, Clock.system());
  private final ServerSettings settings =
      new ServerSettings(
          () -> new ServerIdentity(ServerId.of(1, 2), 3),
          ServerAuthenticator.none(),
          ConnectionLimits.of(1, 1 << 20),
          ConnectionTimeouts.defaults(),
          true);
  private final ConnectionCount count = new ConnectionCount(1);
  private final ServerSessionFactory sessions =
      (peer, link) -> new ServerSessionFactory.Accepted(new StoringSession(link), 1 << 20);
  private final InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  private final DataServer sockets = NettyServer.bind(loops, any, settings, sessions, count);
  private final DataServer grpc = GrpcServer.bind(loops, any, settings, sessions, count);
  private final ClientSettings client =
      new ClientSettings(new UUID(7, 8), ClientAuthenticator.none(), ConnectionTimeouts.defaults());
  private final DataConnector toSockets = new NettyConnector(loops, client, Runnable::run);
  private final DataConnector toGrpc = new GrpcConnector(loops, client, Runnable::run);

  @AfterEach
  void stop() {
    sockets.close();
    grpc.close();
    loops.close();
    assertThat(alloc.metric().usedDirectMemory()).isZero();
  }

  private static RecordingClient connect(DataConnector connector, DataServer server) {
    RecordingClient session = new RecordingClient();
    connector.connect("127.0.0.1", server.address().getPort(), null, session);
    return session;
  }

  @Test
  void aConnectionOverGrpcTurnsAwayThoseOverSockets() throws Exception {
    RecordingClient first = connect(toGrpc, grpc);
    first.link.get(20, TimeUnit.SECONDS);
    assertThat(connect(toSockets, sockets).awaitClosed()).isEqualTo(ErrorCode.TOO_MANY_CONNECTIONS);
  }

  @Test
  void aConnectionOverSocketsTurnsAwayThoseOverGrpc() throws Exception {
    RecordingClient first = connect(toSockets, sockets);
    first.link.get(20, TimeUnit.SECONDS);
    assertThat(connect(toGrpc, grpc).awaitClosed()).isEqualTo(ErrorCode.TOO_MANY_CONNECTIONS);
  }

  /** A quarter of 64 places, over both ports. */
  @Test
  void whoHasSaidNothingOverSocketsIsTurnedAwayOverGrpcToo() throws Exception {
    int share = 16;
    ServerSettings proving =
        new ServerSettings(
            () -> new ServerIdentity(ServerId.of(1, 2), 3),
            (hello, self, binding) -> {
              throw new SluiceException(ErrorCode.AUTHENTICATION_FAILED, "nobody is let in");
            },
            ConnectionLimits.of(4 * share, 1 << 20),
            ConnectionTimeouts.defaults(),
            true);
    ConnectionCount many = new ConnectionCount(4 * share);
    List<Socket> silent = new ArrayList<>();
    ManagedChannel channel = null;
    try (DataServer one = NettyServer.bind(loops, any, proving, sessions, many);
        DataServer other = GrpcServer.bind(loops, any, proving, sessions, many)) {
      for (int i = 0; i < share; i++) {
        silent.add(new Socket(one.address().getAddress(), one.address().getPort()));
      }
      // Behind all of them on the only event loop, a connection too many is told so, and closed.
      try (Socket last = new Socket(one.address().getAddress(), one.address().getPort())) {
        last.setSoTimeout(5_000);
        ByteBuffer told = ByteBuffer.wrap(last.getInputStream().readAllBytes());
        assertThat(FrameHeader.check(told, FrameHeader.MAGIC_LENGTH)).isEqualTo(FrameType.ERROR);
        assertThat(ErrorCode.ofNumber(FrameHeader.argument(told, FrameHeader.MAGIC_LENGTH)))
            .isEqualTo(ErrorCode.TOO_MANY_CONNECTIONS);
      }
      channel =
          NettyChannelBuilder.forAddress("127.0.0.1", other.address().getPort())
              .usePlaintext()
              .disableRetry()
              .build();
      assertThat(new RawCall(channel, true).awaitEnd().getCode())
          .isEqualTo(Status.Code.UNAVAILABLE);
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
      if (channel != null) {
        assertThat(channel.shutdownNow().awaitTermination(20, TimeUnit.SECONDS)).isTrue();
      }
    }
  }
}
