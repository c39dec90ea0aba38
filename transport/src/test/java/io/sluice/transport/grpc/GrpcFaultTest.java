package io.sluice.transport.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.transport.ConnectionCount;
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
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.session.ClientAuthenticator;
import io.sluice.transport.session.ClientSettings;
import io.sluice.transport.session.ServerAuthenticator;
import io.sluice.transport.session.ServerSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Peers that do not behave, played by calls and sockets made by hand. */
@Timeout(60)
final class GrpcFaultTest {
  private static final int CONNECTIONS_MAX = 4;
  private static final int WINDOW_BYTES = 256 * 1024;
  private static final ServerIdentity IDENTITY = new ServerIdentity(ServerId.of(1, 2), 3);
  private static final ShuffleKey SHUFFLE = new ShuffleKey(ApplicationId.of(4, 5), 6, 0);
  private static final ConnectionTimeouts SHORT =
      new ConnectionTimeouts(
          millis(1000), millis(10_000), millis(10_000), millis(10_000), millis(1000));

  private final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(true);
  private final EventLoops loops = EventLoops.open("fault", 1, alloc, Clock.system());
  private final List<StoringSession> sessions = new CopyOnWriteArrayList<>();
  private final List<ManagedChannel> channels = new ArrayList<>();
  private final GrpcServer server =
      GrpcServer.bind(
          loops,
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
          new ServerSettings(
              () -> IDENTITY,
              ServerAuthenticator.none(),
              ConnectionLimits.of(CONNECTIONS_MAX, 1 << 20),
              SHORT,
              true),
          (peer, link) -> {
            StoringSession session = new StoringSession(link);
            sessions.add(session);
            return new ServerSessionFactory.Accepted(session, 1 << 20);
          },
          new ConnectionCount(CONNECTIONS_MAX));

  private static long millis(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  @AfterEach
  void stop() throws InterruptedException {
    server.close();
    for (ManagedChannel channel : channels) {
      assertThat(channel.shutdownNow().awaitTermination(20, TimeUnit.SECONDS)).isTrue();
    }
    loops.close();
    for (StoringSession session : sessions) {
      assertThat(session.closed.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(session.openLeases).hasValue(0);
      assertThat(session.closedTwice).hasValue(0);
    }
    assertThat(alloc.metric().usedDirectMemory()).isZero();
  }

  /** An HTTP/2 connection; its calls are several clients, as a proxy would have it. */
  private ManagedChannel channel() {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("localhost", server.address().getPort())
            .usePlaintext()
            .disableRetry()
            .flowControlWindow(WINDOW_BYTES)
            .build();
    channels.add(channel);
    return channel;
  }

  private RecordingClient connect(InetSocketAddress address) {
    RecordingClient client = new RecordingClient();
    new GrpcConnector(
            loops,
            new ClientSettings(new UUID(7, 8), ClientAuthenticator.none(), SHORT),
            Runnable::run)
        .connect(address.getAddress().getHostAddress(), address.getPort(), null, client);
    return client;
  }

  private static ByteBuf hello() {
    ByteBuf hello = Frames.magic(Unpooled.buffer());
    new Hello(1, 1, new UUID(1, 1), null, 0, new byte[0]).encode(hello);
    return hello;
  }

  private static void assertWelcome(RawCall call) throws InterruptedException {
    ByteBuffer bytes = call.await(FrameHeader.MAGIC_LENGTH + FrameHeader.LENGTH);
    assertThat(FrameHeader.check(bytes, FrameHeader.MAGIC_LENGTH)).isEqualTo(FrameType.WELCOME);
  }

  @Test
  void nobodyListeningIsAConnectFailure() throws Exception {
    InetSocketAddress address;
    try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      address = (InetSocketAddress) closed.getLocalSocketAddress();
    }
    assertThat(connect(address).awaitClosed()).isEqualTo(ErrorCode.CONNECT_FAILED);
  }

  @Test
  void aServerThatNeverSpeaksHttpIsGivenUp() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      RecordingClient client = connect((InetSocketAddress) silent.getLocalSocketAddress());
      assertThat(client.awaitClosed()).isEqualTo(ErrorCode.CONNECT_FAILED);
    }
  }

  @Test
  void bytesThatAreNotTheProtocolAreAnsweredByName() throws Exception {
    RawCall stranger = new RawCall(channel(), true);
    stranger.send(Unpooled.copiedBuffer("GET / HTTP/1.1\r\n\r\n", StandardCharsets.UTF_8));
    assertThat(stranger.awaitEnd().getCode()).isEqualTo(Status.Code.OK);
    ByteBuffer bytes = stranger.received();
    assertThat(bytes.getLong(0)).isEqualTo(FrameHeader.MAGIC);
    int error = FrameHeader.MAGIC_LENGTH;
    assertThat(FrameHeader.check(bytes, error)).isEqualTo(FrameType.ERROR);
    assertThat(ErrorCode.ofNumber(FrameHeader.argument(bytes, error)))
        .isEqualTo(ErrorCode.BAD_MAGIC);
  }

  @Test
  void aStrangerThatDoesNotSpeakHttp2IsCutOff() throws Exception {
    try (Socket socket = new Socket(server.address().getAddress(), server.address().getPort())) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8));
      // HTTP/2's own way to say goodbye, then the end.
      assertThat(socket.getInputStream().readAllBytes()).isNotNull();
    }
  }

  @Test
  void aConnectionThatMakesNoCallIsClosed() throws Exception {
    try (Socket socket = new Socket(server.address().getAddress(), server.address().getPort())) {
      socket.setSoTimeout(20_000);
      assertThat(socket.getInputStream().readAllBytes()).isNotNull();
    }
  }

  @Test
  void connectionsUnderTheCallsAreBounded() throws Exception {
    List<Socket> idle = new ArrayList<>();
    try {
      for (int i = 0; i < 2 * CONNECTIONS_MAX; i++) {
        idle.add(new Socket(server.address().getAddress(), server.address().getPort()));
      }
      try (Socket more = new Socket(server.address().getAddress(), server.address().getPort())) {
        more.setSoTimeout(20_000);
        assertThat(closedWithoutAWord(more)).isTrue();
      }
    } finally {
      for (Socket socket : idle) {
        socket.close();
      }
    }
  }

  private static boolean closedWithoutAWord(Socket socket) {
    try {
      return socket.getInputStream().read() == -1;
    } catch (IOException reset) {
      return true;
    }
  }

  @Test
  void aMessageThatIsTooLongEndsItsCallAndNoOther() throws Exception {
    ManagedChannel shared = channel();
    RawCall good = new RawCall(shared, true);
    good.send(hello());
    assertWelcome(good);
    RawCall bad = new RawCall(shared, true);
    bad.send(hello());
    assertWelcome(bad);
    bad.send(new byte[1 << 20], 0, 1 << 20);
    assertThat(bad.awaitEnd().isOk()).isFalse();
    assertStillServed(good);
  }

  private static void assertStillServed(RawCall call) throws InterruptedException {
    int frame = FrameHeader.LENGTH + Long.BYTES;
    int at = call.received().limit();
    call.send(Frames.number(Unpooled.buffer(), FrameType.WANT, 0, 77));
    ByteBuffer bytes = call.await(at + frame);
    while (FrameHeader.check(bytes, at) == FrameType.PING) {
      // On a busy machine so much time may have passed that the server asks whether we are there.
      at += frame;
      bytes = call.await(at + frame);
    }
    assertThat(FrameHeader.check(bytes, at)).isEqualTo(FrameType.GRANT);
    assertThat(bytes.getLong(at + FrameHeader.LENGTH)).isEqualTo(77);
  }

  @Test
  void aClientThatSaysNothingIsSentAway() throws Exception {
    RawCall silent = new RawCall(channel(), true);
    assertThat(silent.awaitEnd().getCode()).isEqualTo(Status.Code.OK);
    assertThat(ErrorCode.ofNumber(FrameHeader.argument(silent.received(), 8)))
        .isEqualTo(ErrorCode.TIMED_OUT);
  }

  @Test
  void aReaderThatDoesNotReadHoldsFewLeasesAndNobodyUp() throws Exception {
    RawCall good = new RawCall(channel(), true);
    good.send(hello());
    assertWelcome(good);
    RawCall lazy = new RawCall(channel(), false);
    int blocks = 48;
    byte[] block = TestBlocks.block(0, 0, 0, 1 << 20);
    lazy.send(hello());
    ByteBuf request = Frames.open(Unpooled.buffer(), 0, SHUFFLE, 3);
    for (int i = 0; i < blocks; i++) {
      FrameHeader.write(request, FrameType.PUSH, 0, 1, block.length).writeBytes(block);
    }
    Frames.fetch(request, new FetchRequest(0, 0, 0, 1, 0, 1, 1L << 30));
    lazy.send(request);
    // Each a round trip on the same event loop, until the fetch has been met.
    do {
      assertStillServed(good);
    } while (sessions.size() < 2 || sessions.get(1).leasesTaken.get() == 0);
    StoringSession session = sessions.get(1);
    // HTTP/2's window of the reader, the marks of queue and call, and a chunk each.
    assertThat(session.openLeases.get()).isLessThan(22);
    assertThat(session.leasesTaken.get()).isLessThan(blocks * 11);
    lazy.cancel();
    assertThat(session.closed.await(20, TimeUnit.SECONDS)).isTrue();
    assertStillServed(good);
  }

  @Test
  void aClientThatReadsNoAnswersIsGivenUpAndNoOther() throws Exception {
    ManagedChannel shared = channel();
    RawCall good = new RawCall(shared, true);
    good.send(hello());
    assertWelcome(good);
    RawCall deaf = new RawCall(shared, false);
    deaf.send(hello());
    // Each a round trip on the same event loop, until the greeting has been met.
    do {
      assertStillServed(good);
    } while (sessions.size() < 2);
    int frame = FrameHeader.LENGTH + Long.BYTES;
    byte[] questions = new byte[300_000 * frame];
    for (int at = 0; at < questions.length; at += frame) {
      Frames.number(Unpooled.wrappedBuffer(questions, at, frame).clear(), FrameType.PING, 0, at);
    }
    deaf.send(Unpooled.wrappedBuffer(questions));
    assertThat(sessions.get(1).closed.await(20, TimeUnit.SECONDS)).isTrue();
    // What it has not read fills the window that it shares with the other.
    deaf.cancel();
    assertStillServed(good);
  }
}
