package io.sluice.transport.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Clock;
import io.sluice.transport.ConnectionCount;
import io.sluice.transport.ConnectionLimits;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.DataServer;
import io.sluice.transport.RecordingClient;
import io.sluice.transport.SecuredEnds;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.StoringSession;
import io.sluice.transport.Transport;
import io.sluice.transport.frame.FrameHeader;
import io.sluice.transport.frame.FrameType;
import io.sluice.transport.frame.Frames;
import io.sluice.transport.frame.Hello;
import io.sluice.transport.netty.DataConnector;
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.netty.NettyConnector;
import io.sluice.transport.netty.NettyServer;
import io.sluice.transport.session.ClientAuthenticator;
import io.sluice.transport.session.ClientSettings;
import io.sluice.transport.session.ServerAuthenticator;
import io.sluice.transport.session.ServerSettings;
import java.io.IOException;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process that listens for both transports has one limit of connections. */
@Timeout(60)
final class SharedLimitTest {
  private static final int MANY = 32;

  private final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(true);
  private final EventLoops loops = EventLoops.open("shared", 1, alloc, Clock.system());
  private final ServerSettings settings =
      new ServerSettings(
          () -> new ServerIdentity(ServerId.of(1, 2), 3),
          ServerAuthenticator.none(),
          ConnectionLimits.of(1, 1 << 20),
          // A fifth of it, in which others wait in line, is longer than what is done meanwhile.
          handshakeIn(150),
          true);
  private final ConnectionCount count = new ConnectionCount(1);
  private final ConnectionCount many = new ConnectionCount(MANY);
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

  /** Half of the places, over both ports; who comes then waits until those are gone. */
  @Test
  void whoHasSaidNothingOverSocketsKeepsOthersOfItsAddressWaitingOverBoth() throws Exception {
    List<Socket> silent = new ArrayList<>();
    try (DataServer one = NettyServer.bind(loops, any, settings, sessions, many);
        DataServer other = GrpcServer.bind(loops, any, settings, sessions, many)) {
      beSilent(one, silent);
      RecordingClient behind = connect(toSockets, one);
      RecordingClient last = connect(toGrpc, other);
      assertStrangerIsLetIn(one);
      assertThat(behind.link).isNotDone();
      assertThat(last.link).isNotDone();
      for (Socket socket : silent) {
        socket.close();
      }
      behind.link.get(20, TimeUnit.SECONDS);
      last.link.get(20, TimeUnit.SECONDS);
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  /** On the one event loop they are taken up in the order in which they came. */
  @ParameterizedTest
  @EnumSource(Transport.class)
  void whoHasWaitedIsLetInWithTlsToo(Transport transport) throws Exception {
    ServerSettings secured = SecuredEnds.server(settings);
    ClientSettings proving = SecuredEnds.client();
    boolean grpcs = transport == Transport.GRPC;
    DataConnector connector =
        grpcs
            ? new GrpcConnector(loops, proving, Runnable::run)
            : new NettyConnector(loops, proving, Runnable::run);
    try (DataServer server =
        grpcs
            ? GrpcServer.bind(loops, any, secured, sessions, many)
            : NettyServer.bind(loops, any, secured, sessions, many)) {
      List<Socket> silent = new ArrayList<>();
      for (int i = 0; i < MANY / 2; i++) {
        silent.add(new Socket(server.address().getAddress(), server.address().getPort()));
      }
      RecordingClient last = new RecordingClient();
      connector.connect("localhost", server.address().getPort(), null, last);
      for (int turn = 0; turn < 10; turn++) {
        // It has been dialled, behind the others.
        loops.group().submit(() -> {}).get();
      }
      for (Socket socket : silent) {
        socket.close();
      }
      last.link.get(20, TimeUnit.SECONDS);
    }
  }

  @Test
  void whoWaitsInVainIsToldOverTlsToo() throws Exception {
    ServerSettings secured = SecuredEnds.server(with(ConnectionTimeouts.defaults()));
    List<Socket> silent = new ArrayList<>();
    try (DataServer one = NettyServer.bind(loops, any, secured, sessions, many)) {
      for (int i = 0; i < MANY / 2; i++) {
        silent.add(new Socket(one.address().getAddress(), one.address().getPort()));
      }
      RecordingClient last = new RecordingClient();
      new NettyConnector(loops, SecuredEnds.client(), Runnable::run)
          .connect("localhost", one.address().getPort(), null, last);
      assertThat(last.awaitClosed()).isEqualTo(ErrorCode.TOO_MANY_CONNECTIONS);
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  private ServerSettings with(ConnectionTimeouts timeouts) {
    return new ServerSettings(
        settings::identity, ServerAuthenticator.none(), settings.limits(), timeouts, true);
  }

  /** With the times that servers have, and a client that is as patient as they are as peers. */
  @Test
  void whoWaitsInVainIsToldThatTheServerIsFull() throws Exception {
    ServerSettings usual = with(ConnectionTimeouts.defaults());
    List<Socket> silent = new ArrayList<>();
    ManagedChannel channel = null;
    try (DataServer one = NettyServer.bind(loops, any, usual, sessions, many);
        DataServer other = GrpcServer.bind(loops, any, usual, sessions, many)) {
      channel =
          NettyChannelBuilder.forAddress("127.0.0.1", other.address().getPort())
              .usePlaintext()
              .disableRetry()
              .build();
      // It has the HTTP/2 connection on which another call waits.
      RawCall first = new RawCall(channel, true);
      first.send(hello());
      first.await(FrameHeader.MAGIC_LENGTH + FrameHeader.LENGTH);
      beSilent(one, silent);
      RawCall second = new RawCall(channel, true);
      try (Socket last = new Socket(one.address().getAddress(), one.address().getPort());
          Socket callless = new Socket(other.address().getAddress(), other.address().getPort())) {
        last.getOutputStream().write(new byte[100_000]);
        RecordingClient real = connect(asPatientAs(5), one);
        assertThat(real.awaitClosed()).isEqualTo(ErrorCode.TOO_MANY_CONNECTIONS);
        last.setSoTimeout(20_000);
        assertSaysThatItIsFull(last.getInputStream().readAllBytes());
        callless.setSoTimeout(20_000);
        assertThat(isClosed(callless)).isTrue();
      }
      assertThat(second.awaitEnd().getCode()).isEqualTo(Status.Code.OK);
      assertSaysThatItIsFull(second.receivedBytes());
      for (Socket socket : silent) {
        socket.close();
      }
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
      if (channel != null) {
        assertThat(channel.shutdownNow().awaitTermination(20, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  private static void assertSaysThatItIsFull(byte[] told) {
    assertThat(frameType(told)).isEqualTo(FrameType.ERROR);
    ByteBuffer frames = ByteBuffer.wrap(told);
    assertThat(ErrorCode.ofNumber(FrameHeader.argument(frames, FrameHeader.MAGIC_LENGTH)))
        .isEqualTo(ErrorCode.TOO_MANY_CONNECTIONS);
  }

  private void beSilent(DataServer server, List<Socket> silent) throws IOException {
    for (int i = 0; i < MANY / 2; i++) {
      silent.add(new Socket(server.address().getAddress(), server.address().getPort()));
    }
    assertStrangerIsLetIn(server);
  }

  /** From another address it need not wait; all that came before it have been taken up then. */
  private static void assertStrangerIsLetIn(DataServer server) throws IOException {
    try (Socket stranger = new Socket()) {
      stranger.bind(new InetSocketAddress("127.0.0.2", 0));
      stranger.connect(server.address());
      stranger.setSoTimeout(20_000);
      stranger.getOutputStream().write(ByteBufUtil.getBytes(hello()));
      byte[] answer =
          stranger.getInputStream().readNBytes(FrameHeader.MAGIC_LENGTH + FrameHeader.LENGTH);
      assertThat(frameType(answer)).isEqualTo(FrameType.WELCOME);
    }
  }

  private static ConnectionTimeouts handshakeIn(int seconds) {
    ConnectionTimeouts usual = ConnectionTimeouts.defaults();
    return new ConnectionTimeouts(
        TimeUnit.SECONDS.toNanos(seconds),
        usual.idleNanos(),
        usual.answerNanos(),
        usual.frameNanos(),
        usual.closeNanos());
  }

  private DataConnector asPatientAs(int seconds) {
    ClientSettings impatient =
        new ClientSettings(new UUID(7, 9), ClientAuthenticator.none(), handshakeIn(seconds));
    return new NettyConnector(loops, impatient, Runnable::run);
  }

  private static ByteBuf hello() {
    ByteBuf hello = Frames.magic(Unpooled.buffer());
    new Hello(1, 1, new UUID(1, 1), null, 0, new byte[0]).encode(hello);
    return hello;
  }

  /** Of the first frame behind the magic. */
  private static FrameType frameType(byte[] received) {
    return FrameHeader.check(ByteBuffer.wrap(received), FrameHeader.MAGIC_LENGTH);
  }

  private static boolean isClosed(Socket socket) {
    try {
      return socket.getInputStream().read() == -1;
    } catch (IOException reset) {
      return true;
    }
  }
}
