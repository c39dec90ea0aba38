package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A real server that asks nobody for a proof, and an address whose connections say nothing: it has
 * half of the places for them, and who comes from elsewhere the rest.
 */
@Timeout(120)
final class SilentNewcomersTest {
  private static final int PLACES = 128;
  private static final int GOOD = 8;
  private static final List<TestBlock> BLOCKS = List.of(new TestBlock(0, 0, 0, 0, 5_000));

  private final List<SocketChannel> silent = new ArrayList<>();
  private final RealServer server;

  SilentNewcomersTest() throws IOException {
    server = RealServer.open(PLACES);
  }

  @AfterEach
  void stop() throws IOException {
    for (SocketChannel channel : silent) {
      channel.close();
    }
    server.close();
  }

  /** Connects from an address of this machine, and says nothing. */
  private void connect(String from, Transport transport) throws IOException {
    SocketChannel channel = SocketChannel.open();
    silent.add(channel);
    channel.bind(new InetSocketAddress(from, 0));
    channel.connect(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port(transport)));
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void oneAddressDoesNotTakeThePlacesOfOthers(Transport transport) throws Exception {
    for (int i = 0; i < 4 * PLACES; i++) {
      connect("127.0.0.2", transport);
    }
    assertOthersAreServed(transport);
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void norOverBothTransports(Transport transport) throws Exception {
    for (int i = 0; i < 4 * PLACES; i++) {
      connect("127.0.0.2", i % 2 == 0 ? Transport.NETTY : Transport.GRPC);
    }
    assertOthersAreServed(transport);
  }

  private void assertOthersAreServed(Transport transport) {
    List<SocketClient> good = new ArrayList<>();
    try {
      for (int i = 0; i < GOOD; i++) {
        good.add(new SocketClient(transport, server.port(transport)));
      }
      ShuffleKey shuffle = new ShuffleKey(ApplicationId.of(1, 2), 1, 0);
      good.get(GOOD - 1).push(shuffle, BLOCKS);
      assertThat(good.get(0).fetch(shuffle, good.get(0).server().incarnation(), 1))
          .containsExactlyElementsOf(BLOCKS);
    } finally {
      good.forEach(SocketClient::close);
    }
  }
}
