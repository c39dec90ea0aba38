package io.sluice.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.control.CoordinatorClient;
import io.sluice.client.control.CoordinatorClientConfig;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.HostPort;
import io.sluice.common.time.Clock;
import io.sluice.coordinator.Coordinator;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.proto.control.v1.ServerInfo;
import io.sluice.proto.control.v1.ServerState;
import io.sluice.server.ShuffleServer;
import io.sluice.server.config.ServerConfig;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A coordinator in a server's list that leads a cluster of its own, as one does that was started
 * without {@code coordinator.zookeeper.connect}.
 */
class TwoClustersTest {
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  private final Path directory;

  TwoClustersTest(@TempDir Path directory) {
    this.directory = directory;
  }

  private Coordinator coordinator(String name, int port) {
    Map<String, String> values = new HashMap<>();
    values.put("coordinator.host", "127.0.0.1");
    values.put("coordinator.bind-address", "127.0.0.1");
    values.put("coordinator.port", Integer.toString(port));
    values.put("coordinator.http.port", "0");
    values.put("coordinator.data-dir", directory.resolve(name).toString());
    // Whoever comes and goes is lost at once, and is to be fenced when it comes again.
    values.put("coordinator.server.heartbeat-interval", "20ms");
    values.put("coordinator.server.suspect-after", name.equals("other") ? "50ms" : "5s");
    values.put("coordinator.server.lost-after", name.equals("other") ? "100ms" : "30s");
    return Coordinator.start(
        CoordinatorConfig.from(
            new ConfigReader(List.of(CoordinatorConfig.SECTION)).values("test", values).read()));
  }

  /** How a coordinator counts the one server; nothing if it does not know it, or leads not yet. */
  private static ServerState state(HostPort coordinator) {
    try (CoordinatorClient client =
        CoordinatorClient.open(CoordinatorClientConfig.of(List.of(coordinator)))) {
      return client.getCluster().getServersList().stream()
          .findFirst()
          .map(ServerInfo::getState)
          .orElse(ServerState.SERVER_STATE_UNSPECIFIED);
    }
  }

  private static String readiness(ShuffleServer server) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + server.httpPort() + "/health/ready");
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }

  private static void await(String what, Callable<Boolean> condition) throws Exception {
    long deadline = Clock.system().nanoTime() + PATIENCE.toNanos();
    while (!condition.call()) {
      assertThat(Clock.system().nanoTime()).as("in time: " + what).isLessThan(deadline);
      LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    }
  }

  private ShuffleServer serverOf(HostPort... coordinators) {
    Map<String, String> values = new HashMap<>();
    values.put("server.host", "127.0.0.1");
    values.put("server.bind-address", "127.0.0.1");
    values.put("server.port", "0");
    values.put("server.http.port", "0");
    values.put("server.memory", "1600m");
    values.put("server.event-loops", "1");
    values.put("server.data-dirs", directory.resolve("server").toString());
    values.put("server.stop.flush-timeout", "2s");
    values.put(
        "server.coordinators",
        Arrays.stream(coordinators).map(HostPort::toString).collect(Collectors.joining(",")));
    return ShuffleServer.start(
        ServerConfig.from(
            new ConfigReader(List.of(ServerConfig.SECTION)).values("test", values).read()));
  }

  @Test
  void aServerKeepsToItsClusterWhileItsLeaderIsAway() throws Exception {
    Coordinator own = coordinator("own", 0);
    HostPort address = own.address();
    // Leads, before a server could come to the other one first.
    assertThat(state(address)).isEqualTo(ServerState.SERVER_STATE_UNSPECIFIED);
    try (Coordinator other = coordinator("other", 0);
        ShuffleServer server = serverOf(address, other.address())) {
      await("admitted", () -> state(address) == ServerState.ACTIVE);
      for (int times = 0; times < 2; times++) {
        await("it knows", () -> readiness(server).equals("ok\n"));
        own.close();
        await(
            "the other one is asked",
            () -> readiness(server).contains("coordinator " + other.address() + " leads term 1"));
        // So that it has a fence for the server the next time.
        await("the other one has lost it", () -> state(other.address()) == ServerState.LOST);

        own = coordinator("own", address.port());
        await("its own has it back", () -> state(address) == ServerState.ACTIVE);
        assertThat(server.identity().incarnation()).as("lives").isEqualTo(1);
      }
    } finally {
      own.close();
    }
  }
}
