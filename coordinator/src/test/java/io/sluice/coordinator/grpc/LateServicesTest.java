package io.sluice.coordinator.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.sluice.common.time.Clock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LateServicesTest {
  private final LateServices services =
      new LateServices(
          new ConnectionLimit(1, 1),
          new TurnedAway(new PrometheusRegistry(), Clock.system()),
          Optional.empty());
  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Server server =
      NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
          .channelFactory(services::listener)
          .bossEventLoopGroup(loops)
          .workerEventLoopGroup(loops)
          .fallbackHandlerRegistry(services)
          .build();

  @BeforeEach
  void start() throws IOException {
    server.start();
  }

  @AfterEach
  void stop() throws InterruptedException {
    server.shutdownNow();
    assertThat(server.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.getPort());
    socket.setSoTimeout(20_000);
    return socket;
  }

  /** Whether the server speaks first, as HTTP/2 has it. */
  private static boolean isServed(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() >= 0;
    } catch (SocketException reset) {
      return false;
    }
  }

  @Test
  void nobodyIsServedBeforeThereIsAnything() throws Exception {
    try (Socket early = connect()) {
      assertThat(isServed(early)).isFalse();
    }
    services.offer(List.of());
    try (Socket late = connect()) {
      assertThat(isServed(late)).isTrue();
    }
  }

  @Test
  void whoIsOneTooManyIsTurnedAwayAndAPlaceThatIsLeftIsTaken() throws Exception {
    services.offer(List.of());
    try (Socket first = connect()) {
      assertThat(isServed(first)).isTrue();
      try (Socket second = connect()) {
        assertThat(isServed(second)).isFalse();
      }
    }
    long deadline = Clock.system().nanoTime() + TimeUnit.SECONDS.toNanos(20);
    boolean served = false;
    while (!served && Clock.system().nanoTime() < deadline) {
      try (Socket third = connect()) {
        served = isServed(third);
      }
    }
    assertThat(served).as("the first one's place is free").isTrue();
  }
}
