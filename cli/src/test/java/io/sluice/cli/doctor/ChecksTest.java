package io.sluice.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Sluices;
import io.sluice.cli.cluster.ClockReading;
import io.sluice.cli.cluster.CoordinatorWord;
import io.sluice.cli.doctor.Finding.Verdict;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChecksTest {
  @Test
  void aTakenPortIsWorthALookAndAFreeOneIsNot() throws IOException {
    int port;
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = taken.getLocalPort();
      assertThat(MachineChecks.port("server.port", "127.0.0.1", port).verdict())
          .isEqualTo(Verdict.WARN);
    }
    assertThat(MachineChecks.port("server.port", "127.0.0.1", port).verdict())
        .isEqualTo(Verdict.OK);
  }

  @Test
  void aDirectoryThatCannotBeMadeFails(@TempDir Path directory) {
    assertThat(MachineChecks.directory("k", directory.resolve("a/b")).verdict())
        .isIn(Verdict.OK, Verdict.FAIL)
        .isEqualTo(MachineChecks.directory("k", directory).verdict());
    assertThat(MachineChecks.directory("k", Path.of("/proc/self/status/x")).verdict())
        .isEqualTo(Verdict.FAIL);
  }

  @Test
  void aDirectoryThatDoesNotSayItsSizeFailsInWords(@TempDir Path directory) {
    Finding finding =
        MachineChecks.directory(
            "k",
            directory,
            there -> {
              throw new AccessDeniedException(there.toString());
            });
    assertThat(finding)
        .isEqualTo(
            Finding.fail(
                "disk " + directory,
                "cannot be asked for its size: " + directory + ": permission denied"));
  }

  @Test
  void aMachineThatGivesNoHugePagesIsWorthALook(@TempDir Path directory) throws IOException {
    Path enabled = directory.resolve("enabled");
    assertThat(MachineChecks.hugePages(enabled).verdict()).isEqualTo(Verdict.SKIP);
    Files.writeString(enabled, "always madvise [never]\n");
    assertThat(MachineChecks.hugePages(enabled).verdict()).isEqualTo(Verdict.WARN);
    Files.writeString(enabled, "always [madvise] never\n");
    assertThat(MachineChecks.hugePages(enabled))
        .isEqualTo(Finding.ok("huge pages", enabled + ": always [madvise] never"));
  }

  @Test
  void aMemberOfTheEnsembleIsJudgedByWhatItSays() {
    String leader = "Zookeeper version: 3.9.5-abc, built on x\nLatency\nMode: leader\n";
    assertThat(ZooKeeperCheck.judge("z", leader)).isEqualTo(Finding.ok("z", "3.9.5, leader"));
    assertThat(
            ZooKeeperCheck.judge("z", "This ZooKeeper instance is not currently serving requests\n")
                .verdict())
        .isEqualTo(Verdict.FAIL);
    assertThat(ZooKeeperCheck.judge("z", "").verdict()).isEqualTo(Verdict.WARN);
  }

  @Test
  void clocksMayDifferALittle() {
    assertThat(ClusterChecks.clock("the leader's", new ClockReading(-1_900, 5)).verdict())
        .isEqualTo(Verdict.OK);
    assertThat(ClusterChecks.clock("the leader's", new ClockReading(2_100, 5)).verdict())
        .isEqualTo(Verdict.WARN);
    assertThat(ClusterChecks.clock("the leader's", new ClockReading(-2_100, 5)).detail())
        .contains("2100 ms behind, ± 5 ms");
  }

  @Test
  void aSlowAnswerIsNoWrongClock() {
    assertThat(ClusterChecks.clock("the leader's", new ClockReading(4_000, 4_000)).verdict())
        .isEqualTo(Verdict.OK);
    assertThat(ClusterChecks.clock("the leader's", new ClockReading(7_000, 4_000)).verdict())
        .isEqualTo(Verdict.WARN);
  }

  private static CoordinatorWord says(String address, String leader) {
    return new CoordinatorWord(
        address,
        "",
        "1.0",
        leader,
        leader.equals(address),
        Optional.of(new ClockReading(leader.equals(address) ? 0 : 3_000, 1)));
  }

  @Test
  void coordinatorsThatAgreeAreALineEachAndClocksOfThoseBehindTheLeaderAnother() {
    assertThat(CoordinatorLines.of(List.of(says("a:1", "a:1"), says("b:1", "a:1"))))
        .extracting(finding -> finding.check() + " " + finding.verdict() + " " + finding.detail())
        .satisfiesExactly(
            line -> assertThat(line).isEqualTo("coordinator a:1 OK 1.0, leads"),
            line -> assertThat(line).isEqualTo("coordinator b:1 OK 1.0, says that a:1 leads"),
            line -> assertThat(line).startsWith("clock WARN b:1's is 3000 ms ahead, ± 1 ms"));
  }

  @Test
  void coordinatorsThatNameOthersOrNobodyFail() {
    assertThat(
            CoordinatorLines.of(
                List.of(says("a:1", "a:1"), says("b:1", "c:1"), says("d:1", "a:1"))))
        .last()
        .satisfies(
            finding -> {
              assertThat(finding.verdict()).isEqualTo(Verdict.FAIL);
              assertThat(finding.detail())
                  .startsWith("a:1 and d:1 say a:1, b:1 say c:1: ")
                  .contains("coordinator.zookeeper.root");
            });
    assertThat(CoordinatorLines.of(List.of(says("b:1", ""))))
        .first()
        .satisfies(
            finding -> {
              assertThat(finding.verdict()).isEqualTo(Verdict.FAIL);
              assertThat(finding.detail()).contains("knows no leader");
            });
  }

  @Test
  void serversThatDifferOrSufferAreNamed() throws JsonProcessingException {
    String servers =
        "[{'address':{'host':'a','port':1},'state':'ACTIVE','version':'1','load':{'disks':["
            + "{'path':'/d','healthy':false},{'path':'/e','healthy':true}]}},"
            + "{'address':{'host':'u','port':4},'state':'UNHEALTHY','version':'1','load':{}},"
            + "{'address':{'host':'b','port':2},'state':'SUSPECT','version':'2','load':{}},"
            + "{'address':{'host':'c','port':3},'state':'LOST','version':'3','load':{}}]";
    assertThat(ClusterChecks.servers(new ObjectMapper().readTree(servers.replace('\'', '"'))))
        .extracting(finding -> finding.check() + " " + finding.verdict())
        .containsExactly(
            "server a:1 FAIL",
            "server u:4 WARN",
            "server b:2 WARN",
            "server c:3 WARN",
            "versions WARN");
  }

  @Test
  void serversThatTheLeaderHasNotHeardYetRunNoOtherVersion() throws JsonProcessingException {
    String unheard = "{'address':{'host':'a','port':1},'state':'ACTIVE','version':'','load':{}}";
    String heard = "{'address':{'host':'b','port':2},'state':'ACTIVE','version':'1','load':{}}";
    ObjectMapper json = new ObjectMapper();
    assertThat(
            ClusterChecks.servers(
                json.readTree(("[" + unheard + "," + heard + "]").replace('\'', '"'))))
        .extracting(finding -> finding.check() + " " + finding.verdict())
        .containsExactly("versions OK");
    assertThat(ClusterChecks.servers(json.readTree(("[" + unheard + "]").replace('\'', '"'))))
        .isEmpty();
    assertThat(ClusterChecks.servers(json.readTree("[]")))
        .extracting(finding -> finding.check() + " " + finding.verdict())
        .containsExactly("servers FAIL");
  }

  @Test
  void aSettingIsExplainedAndAMisspeltOneFound() {
    assertThat(Sluices.run("config", "explain", "coordinator.zookeeper.session-timeout").out())
        .contains("type     duration", "allowed  2s to 2m");
    Sluices.Outcome misspelt = Sluices.run("config", "explain", "server.memroy");
    assertThat(misspelt.code()).isEqualTo(ExitCode.CONFIGURATION);
    assertThat(misspelt.err()).contains("did you mean server.memory?");
  }

  @Test
  void whereSettingsOfClientsAreSaidIsSaid() {
    Sluices.Outcome spark = Sluices.run("config", "explain", "spark.sluice.codec");
    assertThat(spark.code()).isEqualTo(ExitCode.CONFIGURATION);
    assertThat(spark.err()).contains("\"Spark client\" in docs/configuration.md");
    assertThat(Sluices.run("config", "explain", "mapreduce.sluice.replicas").err())
        .contains("\"MapReduce client\" in docs/configuration.md");
  }

  @Test
  void aSettingIsExplainedToPrograms() throws JsonProcessingException {
    String key = "coordinator.zookeeper.session-timeout";
    JsonNode explained =
        new ObjectMapper().readTree(Sluices.run("config", "explain", key, "-o", "json").out());
    assertThat(explained.path("key").asText()).isEqualTo(key);
    assertThat(explained.path("type").asText()).isEqualTo("duration");
    assertThat(explained.path("allowed").asText()).isEqualTo("2s to 2m");
    assertThat(explained.path("required").asBoolean()).isFalse();

    assertThat(Sluices.run("config", "explain", "server.memory", "-o", "yaml").out())
        .startsWith("key: server.memory\n")
        .contains("\nsecret: false\n", "\ntype: size\n");
  }

  @Test
  void theShellIsTaughtEveryCommand() {
    Sluices.Outcome script = Sluices.run("generate-completion");
    assertThat(script.code()).isZero();
    assertThat(script.out())
        .contains("#!/usr/bin/env bash", "doctor", "quota", "exclude", "--output")
        .contains("bench", "--block-size", "--clients");
  }
}
