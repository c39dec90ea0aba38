package io.sluice.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.transport.ConnectionLimits;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.RecordingClient;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.StoringSession;
import io.sluice.transport.TestBlocks;
import io.sluice.transport.frame.FrameHeader;
import io.sluice.transport.frame.FrameType;
import io.sluice.transport.frame.Frames;
import io.sluice.transport.frame.Hello;
import io.sluice.transport.frame.Welcome;
import io.sluice.transport.session.ClientAuthenticator;
import io.sluice.transport.session.ClientSettings;
import io.sluice.transport.session.ServerAuthenticator;
import io.sluice.transport.session.ServerSettings;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Peers that do not behave, played by plain sockets. */
final class NettyFaultTest {
  private static final ServerIdentity IDENTITY = new ServerIdentity(ServerId.of(1, 2), 3);
  private static final ShuffleKey SHUFFLE = new ShuffleKey(ApplicationId.of(4, 5), 6, 0);
  private static final ConnectionTimeouts SHORT =
      new ConnectionTimeouts(millis(1000), millis(300), millis(1000), millis(1000), millis(1000));

  private final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(true);
  private final EventLoops loops = EventLoops.open("fault", 1, alloc, Clock.system());
  private final List<StoringSession> sessions = new CopyOnWriteArrayList<>();
  private NettyServer server = listen(SHORT);

  private static long millis(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private NettyServer listen(ConnectionTimeouts timeouts) {
    ServerSettings settings =
        new ServerSettings(
            () -> IDENTITY,
            ServerAuthenticator.none(),
            ConnectionLimits.of(8, 1 << 20),
            timeouts,
            true);
    return NettyServer.bind(
        loops,
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        settings,
        (peer, link) -> {
          StoringSession session = new StoringSession(link);
          sessions.add(session);
          return new ServerSessionFactory.Accepted(session, 1 << 20);
        });
  }

  @AfterEach
  void stop() throws InterruptedException {
    server.close();
    loops.close();
    for (StoringSession session : sessions) {
      assertThat(session.closed.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(session.openLeases).hasValue(0);
      assertThat(session.closedTwice).hasValue(0);
    }
    assertThat(alloc.metric().usedDirectMemory()).isZero();
  }

  private Socket raw() throws IOException {
    Socket socket = new Socket(server.address().getAddress(), server.address().getPort());
    socket.setSoTimeout(20_000);
    return socket;
  }

  private Socket rawWelcomed() throws IOException {
    Socket socket = raw();
    ByteBuf hello = Frames.magic(Unpooled.buffer());
    new Hello(1, 1, new UUID(1, 1), null, 0, new byte[0]).encode(hello);
    send(socket, hello);
    DataInputStream in = new DataInputStream(socket.getInputStream());
    assertThat(in.readLong()).isEqualTo(FrameHeader.MAGIC);
    assertThat(readFrame(in)).isEqualTo(FrameType.WELCOME);
    return socket;
  }

  private static void send(Socket socket, ByteBuf bytes) throws IOException {
    byte[] copy = new byte[bytes.readableBytes()];
    bytes.readBytes(copy);
    bytes.release();
    socket.getOutputStream().write(copy);
  }

  private int lastArgument;

  private FrameType readFrame(DataInputStream in) throws IOException {
    ByteBuffer header = ByteBuffer.wrap(in.readNBytes(FrameHeader.LENGTH));
    in.skipNBytes(FrameHeader.bodyLength(header, 0));
    lastArgument = FrameHeader.argument(header, 0);
    return FrameHeader.check(header, 0);
  }

  private RecordingClient connect(InetSocketAddress address, ConnectionTimeouts timeouts) {
    RecordingClient client = new RecordingClient();
    new NettyConnector(
            loops,
            new ClientSettings(new UUID(7, 8), ClientAuthenticator.none(), timeouts),
            Runnable::run)
        .connect(address.getAddress().getHostAddress(), address.getPort(), null, client);
    return client;
  }

  @Test
  void aStrangerGetsANamedErrorThenTheEnd() throws Exception {
    try (Socket socket = raw()) {
      socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8));
      DataInputStream in = new DataInputStream(socket.getInputStream());
      assertThat(in.readLong()).isEqualTo(FrameHeader.MAGIC);
      assertThat(readFrame(in)).isEqualTo(FrameType.ERROR);
      assertThat(ErrorCode.ofNumber(lastArgument)).isEqualTo(ErrorCode.BAD_MAGIC);
      assertThat(in.read()).isEqualTo(-1);
    }
  }

  @Test
  void aStrangerThatKeepsSendingIsCutOff() throws Exception {
    byte[] junk = new byte[1 << 16];
    try (Socket socket = raw()) {
      boolean cut = false;
      // Four gigabytes: only a closed connection ends this.
      for (int i = 0; i < 1 << 16 && !cut; i++) {
        try {
          socket.getOutputStream().write(junk);
        } catch (IOException reset) {
          cut = true;
        }
      }
      assertThat(cut).isTrue();
    }
  }

  @Test
  void aClientThatSaysNothingIsSentAway() throws Exception {
    try (Socket socket = raw()) {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      assertThat(in.readLong()).isEqualTo(FrameHeader.MAGIC);
      assertThat(readFrame(in)).isEqualTo(FrameType.ERROR);
      assertThat(ErrorCode.ofNumber(lastArgument)).isEqualTo(ErrorCode.TIMED_OUT);
      assertThat(in.read()).isEqualTo(-1);
    }
  }

  @Test
  void aFrameLeftHalfIsEnded() throws Exception {
    try (Socket socket = rawWelcomed()) {
      send(socket, FrameHeader.write(Unpooled.buffer(), FrameType.WANT, 0, 0, 8));
      DataInputStream in = new DataInputStream(socket.getInputStream());
      FrameType type = readFrame(in);
      while (type == FrameType.PING) {
        type = readFrame(in);
      }
      assertThat(type).isEqualTo(FrameType.ERROR);
      assertThat(ErrorCode.ofNumber(lastArgument)).isEqualTo(ErrorCode.TIMED_OUT);
    }
  }

  @Test
  void aClientThatStopsAnsweringIsDropped() throws Exception {
    try (Socket socket = rawWelcomed()) {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      assertThat(readFrame(in)).isEqualTo(FrameType.PING);
      assertThat(sessions.get(0).closed.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(in.read()).isEqualTo(-1);
    }
  }

  @Test
  void aServerThatStopsAnsweringIsGivenUp() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      RecordingClient client = connect((InetSocketAddress) silent.getLocalSocketAddress(), SHORT);
      try (Socket accepted = silent.accept()) {
        ByteBuf welcome = Frames.magic(Unpooled.buffer());
        new Welcome(1, IDENTITY, 1, 1, 1, 1).encode(welcome);
        send(accepted, welcome);
        client.link.get(20, TimeUnit.SECONDS);
        assertThat(client.awaitClosed()).isEqualTo(ErrorCode.TIMED_OUT);
      }
    }
  }

  @Test
  void aServerThatNeverGreetsIsGivenUp() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      RecordingClient client = connect((InetSocketAddress) silent.getLocalSocketAddress(), SHORT);
      assertThat(client.awaitClosed()).isEqualTo(ErrorCode.TIMED_OUT);
    }
  }

  @Test
  void nobodyListeningIsAConnectFailure() throws Exception {
    InetSocketAddress address;
    try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      address = (InetSocketAddress) closed.getLocalSocketAddress();
    }
    assertThat(connect(address, SHORT).awaitClosed()).isEqualTo(ErrorCode.CONNECT_FAILED);
  }

  @Test
  void anUnknownNameIsAConnectFailure() throws Exception {
    RecordingClient client = new RecordingClient();
    new NettyConnector(
            loops,
            new ClientSettings(new UUID(7, 8), ClientAuthenticator.none(), SHORT),
            Runnable::run)
        .connect("no-such-host.invalid", 1, null, client);
    assertThat(client.awaitClosed()).isEqualTo(ErrorCode.CONNECT_FAILED);
  }

  @Test
  void aReaderThatDoesNotReadHoldsFewLeasesAndNobodyUp() throws Exception {
    server.close();
    server = listen(ConnectionTimeouts.defaults());
    byte[] block = TestBlocks.block(0, 0, 0, 1 << 20);
    try (Socket lazy = rawWelcomed()) {
      ByteBuf request = Frames.open(Unpooled.buffer(), 0, SHUFFLE, 3);
      int blocks = 48;
      for (int i = 0; i < blocks; i++) {
        FrameHeader.write(request, FrameType.PUSH, 0, 1, block.length).writeBytes(block);
      }
      Frames.fetch(request, new FetchRequest(0, 0, 0, 1, 0, 1, 1L << 30));
      send(lazy, request);

      RecordingClient good = connect(server.address(), ConnectionTimeouts.defaults());
      good.link.get(20, TimeUnit.SECONDS);
      good.link.join().executor().execute(() -> sendWant(good));
      good.await(() -> good.granted == 77);
      StoringSession session = sessions.get(0);
      DataInputStream in = new DataInputStream(lazy.getInputStream());
      FrameType first = readFrame(in);
      while (first == FrameType.ACK) {
        first = readFrame(in);
      }
      assertThat(first).isEqualTo(FrameType.DATA);
      // Sockets buffer megabytes; what waits in the process is bounded by the marks of queue and
      // channel, 1.5 MiB, and a chunk each.
      assertThat(session.openLeases.get()).isLessThan(22);
      assertThat(session.leasesTaken.get()).isLessThan(blocks * 11);
    }
  }

  private static void sendWant(RecordingClient client) {
    client.link.join().want(77);
    client.link.join().flush();
  }

  @Test
  void aConnectionCutInTheMiddleOfABlockDropsThatBlockOnly() throws Exception {
    server.close();
    server = listen(ConnectionTimeouts.defaults());
    byte[] block = TestBlocks.block(0, 0, 0, 500_000);
    try (Socket socket = rawWelcomed()) {
      ByteBuf bytes = Frames.open(Unpooled.buffer(), 0, SHUFFLE, 3);
      FrameHeader.write(bytes, FrameType.PUSH, 0, 2, 2 * block.length);
      bytes.writeBytes(block).writeBytes(block, 0, 300_000);
      send(socket, bytes);
      assertThat(readFrame(new DataInputStream(socket.getInputStream()))).isEqualTo(FrameType.ACK);
    }
    assertThat(sessions.get(0).closed.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(sessions.get(0).blocks).hasSize(1);
  }
}
