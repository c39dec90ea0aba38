package io.sluice.cli.local;

import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ChildProcess;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.process.ProcessUsage;
import io.sluice.cli.service.Announcement;
import io.sluice.cli.service.ServerJvm;
import io.sluice.cli.spark.SparkSettings;
import io.sluice.common.config.HostPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * One coordinator, with ZooKeeper in its process, and some shuffle servers: real processes on the
 * loopback interface, on free ports, with their data in the run's directory. They end with their
 * group, or with this process however it ends.
 */
public final class LocalCluster {
  private static final String LOOPBACK = "127.0.0.1";

  /** A coordinator of few servers on a machine full of other processes. */
  private static final long COORDINATOR_MEMORY = 1L << 30;

  private final Site site;
  private volatile ChildProcess coordinator;
  private final Announcement announcement;
  private final List<LocalServer> servers;
  private final HttpClient http = HttpClient.newHttpClient();

  /** Where and how processes are started. */
  private record Site(ProcessGroup group, LocalClusterSettings settings, Path directory) {}

  private LocalCluster(
      Site site, ChildProcess coordinator, Announcement announcement, List<LocalServer> servers) {
    this.site = site;
    this.coordinator = coordinator;
    this.announcement = announcement;
    this.servers = new CopyOnWriteArrayList<>(servers);
  }

  /** Starts all processes and waits until each says that it can be used. */
  public static LocalCluster start(
      ProcessGroup group, LocalClusterSettings settings, Path directory)
      throws IOException, ChildFailedException, InterruptedException {
    Site site = new Site(group, settings, directory);
    LocalService coordinator = startCoordinator(site, Map.of());
    Announcement leader = coordinator.awaitReady();
    List<LocalService> starting = new ArrayList<>();
    for (int i = 1; i <= settings.servers(); i++) {
      starting.add(startServer(site, leader, i, Map.of()));
    }
    List<LocalServer> servers = new ArrayList<>();
    for (LocalService server : starting) {
      servers.add(new LocalServer(server.process(), server.awaitReady()));
    }
    return new LocalCluster(site, coordinator.process(), leader, servers);
  }

  private static LocalService startCoordinator(Site site, Map<String, String> more)
      throws IOException {
    LocalClusterSettings settings = site.settings();
    Path directory = site.directory().resolve("coordinator");
    Map<String, String> properties = coordinatorSettings(settings, directory.resolve("data"));
    properties.putAll(more);
    return LocalService.start(
        site.group(),
        "coordinator",
        settings.classPath(),
        new LocalService.JvmStart(ServerJvm.coordinatorFlags(COORDINATOR_MEMORY), Map.of()),
        properties,
        directory);
  }

  private static LocalService startServer(
      Site site, Announcement leader, int number, Map<String, String> more) throws IOException {
    LocalClusterSettings settings = site.settings();
    Path directory = site.directory().resolve("server-" + number);
    Map<String, String> properties = listening("server");
    properties.put("server.data-dirs", directory.resolve("data").toString());
    properties.put("server.coordinators", leader.address());
    properties.put("server.memory", settings.serverMemory().toString());
    properties.putAll(settings.serverProperties());
    properties.putAll(settings.ownProperties().getOrDefault(number, Map.of()));
    properties.putAll(more);
    return LocalService.start(
        site.group(),
        "server",
        settings.classPath(),
        new LocalService.JvmStart(
            settings.serverLauncher(),
            ServerJvm.flags(settings.serverMemory()),
            ServerJvm.environment()),
        properties,
        directory);
  }

  private static Map<String, String> coordinatorSettings(LocalClusterSettings settings, Path data) {
    Map<String, String> properties = listening("coordinator");
    properties.put("coordinator.data-dir", data.toString());
    properties.putAll(settings.coordinatorProperties());
    return properties;
  }

  /**
   * Starts a server again with the same data and address; stops it in order (SIGTERM) if it still
   * runs.
   *
   * @param number counted from 1
   * @return the server as it is now
   */
  public LocalServer restart(int number)
      throws IOException, ChildFailedException, InterruptedException {
    HostPort address = HostPort.parse(servers.get(number - 1).announcement().address());
    return restart(number, Map.of("server.port", "" + address.port()));
  }

  /** The same, at another port that is free. */
  public LocalServer restartElsewhere(int number)
      throws IOException, ChildFailedException, InterruptedException {
    return restart(number, Map.of("server.port", "0"));
  }

  private LocalServer restart(int number, Map<String, String> listening)
      throws IOException, ChildFailedException, InterruptedException {
    servers.get(number - 1).process().close();
    LocalService again = startServer(site, announcement, number, listening);
    LocalServer server = new LocalServer(again.process(), again.awaitReady());
    servers.set(number - 1, server);
    return server;
  }

  /**
   * Starts the coordinator again with the same data and address; stops it in order (SIGTERM) if it
   * still runs.
   */
  public void restartCoordinator() throws IOException, ChildFailedException, InterruptedException {
    coordinator.close();
    LocalService again =
        startCoordinator(
            site,
            Map.of(
                "coordinator.port",
                "" + HostPort.parse(announcement.address()).port(),
                "coordinator.http.port",
                "" + HostPort.parse(announcement.http()).port()));
    coordinator = again.process();
    again.awaitReady();
  }

  /** The coordinator's process, owned by the cluster's group. */
  public ChildProcess coordinator() {
    return coordinator;
  }

  private static Map<String, String> listening(String prefix) {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put(prefix + ".host", LOOPBACK);
    properties.put(prefix + ".bind-address", LOOPBACK);
    properties.put(prefix + ".port", "0");
    properties.put(prefix + ".http.port", "0");
    return properties;
  }

  /** host:port of the coordinator's gRPC service. */
  public String coordinatorAddress() {
    return announcement.address();
  }

  /** host:port of the coordinator's metrics and health. */
  public String coordinatorHttp() {
    return announcement.http();
  }

  /** The coordinator's figures, as it gives them now. */
  public MetricsPage coordinatorMetrics() throws IOException, InterruptedException {
    return MetricsPage.read(http, announcement.http());
  }

  /** The servers as they are now. */
  public List<LocalServer> servers() {
    return List.copyOf(servers);
  }

  /** What Spark needs to shuffle through this cluster. */
  public SparkSettings spark(String master, String heap, Path clientJar) {
    return new SparkSettings(
        master,
        heap,
        Map.of(
            "spark.shuffle.manager",
            "org.apache.spark.shuffle.sluice.SluiceShuffleManager",
            "spark.sluice.coordinator.quorum",
            coordinatorAddress()),
        List.of(clientJar));
  }

  /**
   * What all processes have used and moved since they started.
   *
   * @throws UncheckedIOException if a server does not answer
   */
  public ServiceUsage usage() {
    ProcessUsage processes = coordinator.usage().orElse(ProcessUsage.NONE);
    long blocks = 0;
    long pushed = 0;
    long fetched = 0;
    long spilled = 0;
    try {
      for (LocalServer server : servers) {
        processes = processes.plus(server.usage());
        MetricsPage metrics = server.metrics(http);
        blocks += (long) metrics.sum("sluice_server_pushed_blocks_total");
        pushed += (long) metrics.sum("sluice_server_pushed_bytes_total");
        fetched += (long) metrics.sum("sluice_server_fetched_bytes_total");
        spilled += (long) metrics.sum("sluice_server_flushed_bytes_total");
      }
    } catch (IOException e) {
      throw new UncheckedIOException("a server's metrics cannot be read: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new IOException("interrupted", e));
    }
    return new ServiceUsage(processes, blocks, pushed, fetched, spilled);
  }
}
