package io.sluice.integration.quorum;

import io.sluice.cli.local.LocalService;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.service.Announcement;
import io.sluice.cli.service.ServerJvm;
import io.sluice.common.config.HostPort;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** One coordinator of a quorum, and its links to the members of ZooKeeper's ensemble. */
public final class CoordinatorProcess implements AutoCloseable {
  /** It coordinates two servers on a machine full of other processes. */
  private static final long MEMORY = 1L << 30;

  private final ProcessGroup group;
  private final String classPath;
  private final Path directory;
  private final Map<String, String> settings;
  private final List<Link> links;
  private LocalService service;

  private CoordinatorProcess(
      ProcessGroup group,
      String classPath,
      Path directory,
      Map<String, String> settings,
      List<Link> links,
      LocalService service) {
    this.group = group;
    this.classPath = classPath;
    this.directory = directory;
    this.settings = settings;
    this.links = links;
    this.service = service;
  }

  /**
   * Starts it without waiting for it.
   *
   * @param ports of gRPC and HTTP
   * @param zooKeeper ports of the ensemble's members
   */
  static CoordinatorProcess start(
      ProcessGroup group,
      String classPath,
      Path directory,
      List<Integer> ports,
      List<Integer> zooKeeper)
      throws IOException {
    List<Link> links = new ArrayList<>();
    for (int port : zooKeeper) {
      links.add(Link.to(port));
    }
    Map<String, String> settings = new HashMap<>();
    settings.put("coordinator.host", "127.0.0.1");
    settings.put("coordinator.bind-address", "127.0.0.1");
    settings.put("coordinator.port", ports.get(0).toString());
    settings.put("coordinator.http.port", ports.get(1).toString());
    settings.put(
        "coordinator.zookeeper.connect",
        links.stream().map(link -> "127.0.0.1:" + link.port()).collect(Collectors.joining(",")));
    return new CoordinatorProcess(
        group, classPath, directory, settings, links, run(group, classPath, directory, settings));
  }

  private static LocalService run(
      ProcessGroup group, String classPath, Path directory, Map<String, String> settings)
      throws IOException {
    return LocalService.start(
        group,
        "coordinator",
        classPath,
        new LocalService.JvmStart(ServerJvm.coordinatorFlags(MEMORY), Map.of()),
        settings,
        directory);
  }

  /** Waits, once after each start, until it serves. */
  public Announcement awaitReady() throws ChildFailedException, InterruptedException {
    return service.awaitReady();
  }

  /** Where it is asked. */
  public HostPort address() {
    return HostPort.parse("127.0.0.1:" + settings.get("coordinator.port"));
  }

  /** SIGKILL. */
  public void kill() throws IOException, InterruptedException {
    Signals.send(service.process().pid(), "KILL");
  }

  /** SIGSTOP: nothing of it runs, and all that is sent to it waits. */
  public void freeze() throws IOException, InterruptedException {
    Signals.send(service.process().pid(), "STOP");
  }

  /** SIGCONT. */
  public void thaw() throws IOException, InterruptedException {
    Signals.send(service.process().pid(), "CONT");
  }

  /** Nothing passes between it and ZooKeeper any more. */
  public void cutFromZooKeeper() {
    links.forEach(Link::cut);
  }

  public void mendLinks() {
    links.forEach(Link::mend);
  }

  /** Starts it again under the same address, without waiting for it. */
  public void startAgain() throws IOException {
    group.end(service.process());
    service = run(group, classPath, directory, settings);
  }

  @Override
  public void close() throws IOException {
    for (Link link : links) {
      link.close();
    }
  }
}
