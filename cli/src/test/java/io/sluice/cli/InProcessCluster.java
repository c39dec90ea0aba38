package io.sluice.cli;

import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.ConfigSection;
import io.sluice.common.config.HostPort;
import io.sluice.common.config.Settings;
import io.sluice.common.security.SecurityConfig;
import io.sluice.coordinator.Coordinator;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.server.ShuffleServer;
import io.sluice.server.config.ServerConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A coordinator and shuffle servers in the test's process, over sockets, each admitted. */
public final class InProcessCluster implements AutoCloseable {
  private final Coordinator coordinator;
  private final List<ShuffleServer> servers = new ArrayList<>();

  private InProcessCluster(Coordinator coordinator) {
    this.coordinator = coordinator;
  }

  /**
   * Starts it, and waits until it can be used.
   *
   * @param security settings of all; empty for none
   * @param more settings of servers
   */
  public static InProcessCluster start(
      Path directory, int servers, Map<String, String> security, Map<String, String> more)
      throws Exception {
    Map<String, String> values = new HashMap<>(security);
    values.putAll(listening("coordinator"));
    values.put("coordinator.data-dir", directory.resolve("zookeeper").toString());
    values.put("coordinator.server.heartbeat-interval", "500ms");
    Settings settings = read(CoordinatorConfig.SECTION, values);
    InProcessCluster cluster =
        new InProcessCluster(
            Coordinator.start(CoordinatorConfig.from(settings), SecurityConfig.from(settings)));
    try {
      for (int i = 0; i < servers; i++) {
        Map<String, String> own = new HashMap<>(security);
        own.putAll(more);
        cluster.add(directory.resolve("server-" + i), own);
      }
      for (ShuffleServer server : cluster.servers) {
        server.firstAdmission().toCompletableFuture().get(30, TimeUnit.SECONDS);
      }
      return cluster;
    } catch (Exception | Error e) {
      cluster.close();
      throw e;
    }
  }

  private void add(Path data, Map<String, String> values) {
    values.putAll(listening("server"));
    // A quarter of it is left for blocks beside the heap that tests have.
    values.put("server.memory", "1600m");
    values.put("server.event-loops", "1");
    values.put("server.data-dirs", data.toString());
    // A quarter of it is for clients to go to others, of which there are none.
    values.put("server.stop.flush-timeout", "2s");
    values.put("server.coordinators", coordinator.address().toString());
    Settings settings = read(ServerConfig.SECTION, values);
    servers.add(ShuffleServer.start(ServerConfig.from(settings), SecurityConfig.from(settings)));
  }

  private static Map<String, String> listening(String role) {
    return Map.of(
        role + ".host", "127.0.0.1",
        role + ".bind-address", "127.0.0.1",
        role + ".port", "0",
        role + ".http.port", "0");
  }

  private static Settings read(ConfigSection own, Map<String, String> values) {
    return new ConfigReader(List.of(own, SecurityConfig.SECTION)).values("test", values).read();
  }

  /** Where commands find it. */
  public HostPort coordinator() {
    return coordinator.address();
  }

  public List<ShuffleServer> servers() {
    return List.copyOf(servers);
  }

  @Override
  public void close() {
    servers.forEach(ShuffleServer::close);
    coordinator.close();
  }
}
