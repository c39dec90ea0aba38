package io.sluice.integration.quorum;

import io.sluice.cli.process.ProcessGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Three processes of ZooKeeper that are one ensemble. */
public final class ZooKeeperProcesses {
  /** For clients, for followers and for elections. */
  static final int PORTS = 9;

  private static final int MEMBERS = PORTS / 3;

  /** A session of {@code coordinator.zookeeper.session-timeout} by default needs this tick. */
  private static final String CONFIGURATION =
      """
      tickTime=1000
      initLimit=10
      syncLimit=5
      clientPortAddress=127.0.0.1
      admin.enableServer=false
      4lw.commands.whitelist=srvr,dump
      """;

  /** As {@code dump} lists the candidates of coordinators: each with a number that grows. */
  private static final Pattern CANDIDATE = Pattern.compile("/sluice/election/\\S*latch-(\\d+)");

  private final List<ZooKeeperMember> members;
  private int killed = -1;

  private ZooKeeperProcesses(List<ZooKeeperMember> members) {
    this.members = members;
  }

  /**
   * Starts them without waiting for them.
   *
   * @param ports {@link #PORTS} of them
   */
  static ZooKeeperProcesses start(
      ProcessGroup group, String classPath, Path directory, List<Integer> ports)
      throws IOException {
    StringBuilder configuration = new StringBuilder(CONFIGURATION);
    for (int i = 0; i < MEMBERS; i++) {
      configuration.append(
          String.format(
              Locale.ROOT,
              "server.%d=127.0.0.1:%d:%d%n",
              i + 1,
              ports.get(MEMBERS + i),
              ports.get(2 * MEMBERS + i)));
    }
    List<ZooKeeperMember> members = new ArrayList<>();
    for (int i = 0; i < MEMBERS; i++) {
      members.add(
          ZooKeeperMember.start(
              group,
              classPath,
              Files.createDirectories(directory.resolve("zookeeper-" + (i + 1))),
              i + 1,
              ports.get(i),
              configuration.toString()));
    }
    return new ZooKeeperProcesses(members);
  }

  List<Integer> clientPorts() {
    return members.stream().map(ZooKeeperMember::clientPort).toList();
  }

  /** Whether every member serves and one of them leads. */
  public boolean isWhole() {
    return members.stream().allMatch(ZooKeeperMember::serves)
        && members.stream().anyMatch(ZooKeeperMember::leads);
  }

  /** SIGKILL of the member that leads the others. */
  public void killLeader() throws Exception {
    Until.holds("ZooKeeper has a leader", () -> leader().isPresent());
    ZooKeeperMember leader = leader().orElseThrow();
    killed = members.indexOf(leader);
    leader.kill();
  }

  private Optional<ZooKeeperMember> leader() {
    return members.stream().filter(ZooKeeperMember::leads).findFirst();
  }

  /** Starts the member that was killed. */
  public void startAgain() throws IOException {
    if (killed >= 0) {
      members.get(killed).startAgain();
      killed = -1;
    }
  }

  /**
   * The session node of the coordinator that leads: of all candidates the one with the lowest
   * number. Empty while ZooKeeper has no leader, or there are no candidates.
   */
  public Optional<String> leadingCandidate() {
    return candidateNodes().stream()
        .min((one, other) -> Long.compare(number(one), number(other)))
        .map(MatchResult::group);
  }

  /**
   * Whether another coordinator can lead by now: ZooKeeper serves, and the session of the one that
   * led has ended.
   *
   * @param before the node of the one that led; empty if it lives
   */
  public boolean isElectable(Optional<String> before) {
    return leader().isPresent()
        && candidateNodes().stream().map(MatchResult::group).noneMatch(one -> isSame(one, before));
  }

  private static boolean isSame(String candidate, Optional<String> before) {
    return before.filter(candidate::equals).isPresent();
  }

  /** How many coordinators stand for election. */
  public int candidates() {
    return candidateNodes().size();
  }

  private List<MatchResult> candidateNodes() {
    return leader().stream()
        .flatMap(leader -> CANDIDATE.matcher(leader.ask("dump")).results())
        .toList();
  }

  private static long number(MatchResult candidate) {
    return Long.parseLong(candidate.group(1));
  }
}
