package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.config.ConfigReader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.replication.ReplicaStats;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.ReplicaMember;
import io.sluice.transport.Transport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whole servers that replicate to each other over sockets, whatever their client speaks. */
class ReplicatedServersContractTest {
  private static final ShuffleKey SHUFFLE = CoreFixture.shuffle(3);
  private static final List<TestBlock> BLOCKS =
      List.of(
          new TestBlock(0, 0, 0, 0, 5_000),
          new TestBlock(0, 1, 1, 0, 40),
          new TestBlock(7, 0, 0, 0, 20_000));
  private static final List<TestBlock> LATER = List.of(new TestBlock(1, 2, 2, 0, 3_000));

  private final FakeCoordinator coordinator;
  private final List<ShuffleServer> servers = new ArrayList<>();

  ReplicatedServersContractTest() throws IOException {
    coordinator = new FakeCoordinator();
  }

  @AfterEach
  void stop() {
    servers.forEach(ShuffleServer::close);
    coordinator.close();
  }

  static Stream<Arguments> transportsAndReplicas() {
    return Stream.of(Transport.values())
        .flatMap(transport -> Stream.of(2, 3).map(count -> Arguments.of(transport, count)));
  }

  private ShuffleServer start() {
    ServerConfig config =
        ServerConfig.from(
            new ConfigReader(List.of(ServerConfig.SECTION))
                .values(
                    "test",
                    Map.of(
                        "server.memory", "1600m",
                        "server.port", "0",
                        "server.grpc.port", "0",
                        "server.http.port", "0",
                        "server.host", "localhost",
                        "server.event-loops", "2",
                        "server.coordinators", coordinator.address().toString()))
                .read());
    ShuffleServer server = ShuffleServer.start(config);
    servers.add(server);
    return server;
  }

  private static SocketClient connect(Transport transport, ShuffleServer server) {
    return new SocketClient(
        transport, transport == Transport.GRPC ? server.grpcPort().orElseThrow() : server.port());
  }

  @ParameterizedTest
  @MethodSource("transportsAndReplicas")
  void everyMemberHoldsWhatIsAcknowledgedAndADeadOneIsNamed(Transport transport, int replicas) {
    for (int i = 0; i < replicas; i++) {
      start();
    }
    List<ReplicaMember> others =
        servers.stream()
            .skip(1)
            .map(
                server ->
                    new ReplicaMember(
                        server.identity().id(),
                        server.identity().incarnation(),
                        "localhost",
                        server.port()))
            .toList();
    try (SocketClient client = connect(transport, servers.get(0))) {
      client.pushReplicated(SHUFFLE, others, BLOCKS);
      for (ShuffleServer server : servers) {
        try (SocketClient reader = connect(transport, server)) {
          assertThat(reader.fetch(SHUFFLE, server.identity().incarnation(), 10))
              .containsExactlyInAnyOrderElementsOf(BLOCKS);
        }
      }
      ShuffleServer dead = servers.remove(replicas - 1);
      dead.close();
      assertThatThrownBy(() -> client.pushReplicated(SHUFFLE, others, LATER))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.REPLICA_FAILED));
      assertThat(client.failed())
          .extracting(FailedReplica::member)
          .containsExactly(dead.identity().id());
    }
    servers.forEach(ReplicatedServersContractTest::awaitNothingPending);
  }

  /**
   * A client hears of the first member that fails; the answer of another may still be under way.
   */
  private static void awaitNothingPending(ShuffleServer server) {
    ReplicaStats stats = server.core().replication().stats();
    long deadline = Clock.system().nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (stats.pendingBytes() != 0) {
      assertThat(deadline - Clock.system().nanoTime())
          .as("time left for %d bytes that wait for members", stats.pendingBytes())
          .isPositive();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }
}
