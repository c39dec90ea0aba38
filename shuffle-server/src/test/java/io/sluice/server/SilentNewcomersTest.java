package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.config.ConfigReader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.security.SecurityConfig;
import io.sluice.common.time.Clock;
import io.sluice.server.config.ServerConfig;
import io.sluice.transport.Transport;
import io.sluice.transport.frame.FrameHeader;
import io.sluice.transport.frame.FrameType;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A real server that asks nobody for a proof, and an address whose connections say nothing: it has
 * a quarter of the places for them, and who speaks has the rest.
 */
@Timeout(120)
final class SilentNewcomersTest {
  private static final int PLACES = 128;
  private static final int SHARE = PLACES / 4;
  private static final List<TestBlock> BLOCKS = List.of(new TestBlock(0, 0, 0, 0, 5_000));

  private final List<SocketChannel> silent = new ArrayList<>();
  private final FakeCoordinator coordinator;

  @SuppressWarnings("NullAway.Init")
  private ShuffleServer server;

  SilentNewcomersTest() throws IOException {
    coordinator = new FakeCoordinator();
  }

  @BeforeEach
  void start() {
    server =
        ShuffleServer.start(
            ServerConfig.from(
                new ConfigReader(List.of(ServerConfig.SECTION))
                    .values(
                        "test",
                        Map.of(
                            "server.memory", "1400m",
                            "server.bind-address", "127.0.0.1",
                            "server.host", "localhost",
                            "server.port", "0",
                            "server.grpc.port", "0",
                            "server.http.port", "0",
                            "server.event-loops", "2",
                            "server.connections.max", "" + PLACES,
                            "server.coordinators", coordinator.address().toString()))
                    .read()),
            SecurityConfig.off());
  }

  @AfterEach
  void stop() throws IOException {
    for (SocketChannel channel : silent) {
      channel.close();
    }
    server.close();
    coordinator.close();
  }

  private int port(Transport transport) {
    return transport == Transport.NETTY ? server.port() : server.grpcPort().orElseThrow();
  }

  /** Connects from an address of this machine, and says nothing. */
  private SocketChannel connect(String from, Transport transport) throws IOException {
    SocketChannel channel = SocketChannel.open();
    silent.add(channel);
    channel.bind(new InetSocketAddress(from, 0));
    channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port(transport)));
    return channel;
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void oneAddressDoesNotTakeThePlacesOfOthers(Transport transport) throws Exception {
    for (int i = 0; i < 4 * PLACES; i++) {
      connect("127.0.0.2", transport);
    }
    // More than are left for one address, all of which speak.
    List<SocketClient> good = new ArrayList<>();
    try {
      for (int i = 0; i < SHARE + 8; i++) {
        good.add(new SocketClient(transport, port(transport)));
      }
      ShuffleKey shuffle = new ShuffleKey(ApplicationId.of(1, 2), 1, 0);
      good.get(SHARE).push(shuffle, BLOCKS);
      assertThat(good.get(0).fetch(shuffle, good.get(0).server().incarnation(), 1))
          .containsExactlyElementsOf(BLOCKS);
    } finally {
      good.forEach(SocketClient::close);
    }
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void oneTooManyIsToldSoAndTheRestStay(Transport transport) throws Exception {
    for (int i = 0; i < SHARE + 1; i++) {
      connect("127.0.0.2", transport).configureBlocking(false);
    }
    // They are taken up on several event loops, so any of them may be the one.
    ByteBuffer told = ByteBuffer.allocate(1 << 16);
    SocketChannel oneTooMany = awaitEnd(told);
    if (transport == Transport.NETTY) {
      assertThat(FrameHeader.check(told, FrameHeader.MAGIC_LENGTH)).isEqualTo(FrameType.ERROR);
      assertThat(ErrorCode.ofNumber(FrameHeader.argument(told, FrameHeader.MAGIC_LENGTH)))
          .isEqualTo(ErrorCode.TOO_MANY_CONNECTIONS);
    }
    for (SocketChannel channel : silent) {
      // Over HTTP/2 the server begins.
      assertThat(channel == oneTooMany || channel.read(ByteBuffer.allocate(1 << 16)) >= 0).isTrue();
    }
  }

  /** The first to be closed by the server, and the last that it was told. */
  private SocketChannel awaitEnd(ByteBuffer told) throws IOException {
    long deadline = Clock.system().nanoTime() + TimeUnit.SECONDS.toNanos(8);
    while (true) {
      for (SocketChannel channel : silent) {
        told.clear();
        int read = channel.read(told);
        if (read > 0 && port(Transport.NETTY) == remotePort(channel)) {
          while (channel.read(told) >= 0) {
            Thread.onSpinWait();
          }
          return channel;
        }
        if (read < 0) {
          return channel;
        }
      }
      assertThat(Clock.system().nanoTime()).as("nobody is turned away").isLessThan(deadline);
    }
  }

  private static int remotePort(SocketChannel channel) throws IOException {
    return ((InetSocketAddress) channel.getRemoteAddress()).getPort();
  }
}
