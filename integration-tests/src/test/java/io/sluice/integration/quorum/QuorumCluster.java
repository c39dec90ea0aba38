package io.sluice.integration.quorum;

import io.sluice.cli.local.LocalService;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.service.ServerJvm;
import io.sluice.common.config.DataSize;
import io.sluice.common.config.HostPort;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** ZooKeeper, coordinators and shuffle servers, all settings that matter by default. */
public final class QuorumCluster implements AutoCloseable {
  private static final int COORDINATORS = 3;
  public static final int SERVERS = 2;

  private static final DataSize SERVER_MEMORY = DataSize.parse("384m");

  private final ZooKeeperProcesses zooKeeper;
  private final List<CoordinatorProcess> coordinators;

  private QuorumCluster(ZooKeeperProcesses zooKeeper, List<CoordinatorProcess> coordinators) {
    this.zooKeeper = zooKeeper;
    this.coordinators = coordinators;
  }

  /**
   * Starts everything and waits until it can be used.
   *
   * @param classPath of Sluice's processes, which has ZooKeeper's server as well
   */
  public static QuorumCluster start(ProcessGroup group, String classPath, Path directory)
      throws Exception {
    List<Integer> ports = FreePorts.take(ZooKeeperProcesses.PORTS + 2 * COORDINATORS);
    ZooKeeperProcesses zooKeeper =
        ZooKeeperProcesses.start(
            group, classPath, directory, ports.subList(0, ZooKeeperProcesses.PORTS));
    List<CoordinatorProcess> coordinators = new ArrayList<>();
    for (int i = 0; i < COORDINATORS; i++) {
      coordinators.add(
          CoordinatorProcess.start(
              group,
              classPath,
              directory.resolve("coordinator-" + (i + 1)),
              ports.subList(ZooKeeperProcesses.PORTS + 2 * i, ports.size()).subList(0, 2),
              zooKeeper.clientPorts()));
    }
    QuorumCluster cluster = new QuorumCluster(zooKeeper, coordinators);
    List<LocalService> servers = new ArrayList<>();
    for (int i = 1; i <= SERVERS; i++) {
      servers.add(cluster.server(group, classPath, directory.resolve("server-" + i)));
    }
    for (CoordinatorProcess coordinator : coordinators) {
      coordinator.awaitReady();
    }
    for (LocalService server : servers) {
      server.awaitReady();
    }
    return cluster;
  }

  private LocalService server(ProcessGroup group, String classPath, Path directory)
      throws IOException {
    Map<String, String> settings = new HashMap<>();
    settings.put("server.host", "127.0.0.1");
    settings.put("server.bind-address", "127.0.0.1");
    settings.put("server.port", "0");
    settings.put("server.http.port", "0");
    settings.put("server.data-dirs", directory.resolve("data").toString());
    settings.put("server.coordinators", addresses());
    settings.put("server.memory", SERVER_MEMORY.toString());
    return LocalService.start(
        group,
        "server",
        classPath,
        new LocalService.JvmStart(ServerJvm.flags(SERVER_MEMORY), ServerJvm.environment()),
        settings,
        directory);
  }

  public ZooKeeperProcesses zooKeeper() {
    return zooKeeper;
  }

  public List<CoordinatorProcess> coordinators() {
    return coordinators;
  }

  /** The coordinator with an address. */
  public CoordinatorProcess coordinator(String address) {
    return coordinators.stream()
        .filter(each -> each.address().equals(HostPort.parse(address)))
        .findFirst()
        .orElseThrow();
  }

  /** All coordinators, as drivers and servers are told them. */
  public String addresses() {
    return coordinators.stream()
        .map(each -> each.address().toString())
        .collect(Collectors.joining(","));
  }

  @Override
  public void close() throws IOException {
    for (CoordinatorProcess coordinator : coordinators) {
      coordinator.close();
    }
  }
}
