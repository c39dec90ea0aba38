package io.sluice.integration.quorum;

import io.sluice.cli.local.LocalService;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.service.ServerJvm;
import io.sluice.common.config.DataSize;
import io.sluice.common.config.HostPort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Two coordinators, each of which may be restarted as one of the version before, one ZooKeeper and
 * one shuffle server. All addresses stay as they are: those of an older coordinator belong to what
 * makes it older, and it listens on another address of the loopback interface itself.
 */
public final class MixedQuorum implements AutoCloseable {
  private static final int COORDINATORS = 2;
  private static final long COORDINATOR_MEMORY = 1L << 30;
  private static final DataSize SERVER_MEMORY = DataSize.parse("384m");
  private static final String BEHIND = "127.0.0.1";

  private final ProcessGroup group;
  private final String classPath;
  private final Path directory;
  private final int zooKeeperPort;
  private final List<Member> members = new ArrayList<>();

  private static final class Member {
    private final HostPort address;
    private @Nullable LocalService process;
    private @Nullable OlderCoordinator older;

    Member(HostPort address) {
      this.address = address;
    }
  }

  private MixedQuorum(ProcessGroup group, String classPath, Path directory, List<Integer> ports) {
    this.group = group;
    this.classPath = classPath;
    this.directory = directory;
    this.zooKeeperPort = ports.get(COORDINATORS);
    for (int i = 0; i < COORDINATORS; i++) {
      members.add(new Member(new HostPort("127.0.0." + (3 + i), ports.get(i))));
    }
  }

  /** Starts everything and waits until it can be used; both coordinators are older ones. */
  public static MixedQuorum start(ProcessGroup group, String classPath, Path directory)
      throws Exception {
    List<Integer> ports = FreePorts.take(COORDINATORS + 1);
    MixedQuorum quorum = new MixedQuorum(group, classPath, directory, ports);
    ZooKeeperMember.start(
        group,
        classPath,
        Files.createDirectories(directory.resolve("zookeeper")),
        1,
        quorum.zooKeeperPort,
        "tickTime=1000\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\n");
    for (int number = 1; number <= COORDINATORS; number++) {
      quorum.run(number, true);
    }
    LocalService server = quorum.server();
    for (Member member : quorum.members) {
      awaitReady(member);
    }
    server.awaitReady();
    return quorum;
  }

  private LocalService server() throws IOException {
    Map<String, String> settings = new HashMap<>();
    settings.put("server.host", "127.0.0.1");
    settings.put("server.bind-address", "127.0.0.1");
    settings.put("server.port", "0");
    settings.put("server.http.port", "0");
    settings.put("server.data-dirs", directory.resolve("server/data").toString());
    settings.put("server.coordinators", addresses());
    settings.put("server.memory", SERVER_MEMORY.toString());
    return LocalService.start(
        group,
        "server",
        classPath,
        new LocalService.JvmStart(ServerJvm.flags(SERVER_MEMORY), ServerJvm.environment()),
        settings,
        directory.resolve("server"));
  }

  private void run(int number, boolean older) throws IOException {
    Member member = members.get(number - 1);
    Map<String, String> settings = new HashMap<>();
    settings.put("coordinator.host", member.address.host());
    settings.put("coordinator.bind-address", older ? BEHIND : member.address.host());
    settings.put("coordinator.port", Integer.toString(member.address.port()));
    settings.put("coordinator.http.port", "0");
    settings.put("coordinator.zookeeper.connect", "127.0.0.1:" + zooKeeperPort);
    member.older =
        older
            ? OlderCoordinator.at(member.address, new HostPort(BEHIND, member.address.port()))
            : null;
    member.process =
        LocalService.start(
            group,
            "coordinator",
            classPath,
            new LocalService.JvmStart(ServerJvm.coordinatorFlags(COORDINATOR_MEMORY), Map.of()),
            settings,
            directory.resolve("coordinator-" + number));
  }

  private static void awaitReady(Member member) throws ChildFailedException, InterruptedException {
    if (member.process != null) {
      member.process.awaitReady();
    }
  }

  /**
   * Stops a coordinator in order, and starts it again.
   *
   * @param number counted from 1
   * @param older whether as one of the version before
   */
  public void restart(int number, boolean older) throws Exception {
    Member member = members.get(number - 1);
    stop(member);
    run(number, older);
    awaitReady(member);
  }

  private void stop(Member member) {
    if (member.process != null) {
      group.end(member.process.process());
    }
    if (member.older != null) {
      member.older.close();
    }
  }

  /** All coordinators, as drivers and servers are told them. */
  public String addresses() {
    return members.stream()
        .map(member -> member.address.toString())
        .collect(Collectors.joining(","));
  }

  /** Whether the coordinator with an address is one of the version before. */
  public boolean isOlder(HostPort address) {
    return members.stream()
        .anyMatch(member -> member.address.equals(address) && member.older != null);
  }

  /** How many fields of the newer version older coordinators have not known so far. */
  public long forgotten() {
    long forgotten = 0;
    for (Member member : members) {
      forgotten += member.older == null ? 0 : member.older.forgotten();
    }
    return forgotten;
  }

  @Override
  public void close() {
    for (Member member : members) {
      stop(member);
    }
  }
}
