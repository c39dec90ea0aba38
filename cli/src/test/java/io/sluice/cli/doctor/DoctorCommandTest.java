package io.sluice.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.cli.ExitCode;
import io.sluice.cli.InProcessCluster;
import io.sluice.cli.Sluices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With the settings of one process of a real cluster with security on. */
class DoctorCommandTest {
  @SuppressWarnings("NullAway.Init")
  private static InProcessCluster cluster;

  @SuppressWarnings("NullAway.Init")
  private static Path key;

  private final Path directory;

  DoctorCommandTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @BeforeAll
  static void start(@TempDir Path shared) throws Exception {
    key = Files.writeString(shared.resolve("key"), "0123456789abcdef".repeat(4) + "\n");
    Map<String, String> security =
        Map.of(
            "security.enabled", "true",
            "security.trusted-network", "true",
            "security.cluster-key-file", key.toString());
    cluster = InProcessCluster.start(shared, 1, security, Map.of());
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private Path settings(String... lines) throws IOException {
    return Files.writeString(
        directory.resolve("sluice.properties"), String.join("\n", lines) + "\n");
  }

  private String security() {
    return "security.enabled = true\nsecurity.trusted-network = true\nsecurity.cluster-key-file = "
        + key;
  }

  private static String finding(JsonNode findings, String check) {
    for (JsonNode one : findings) {
      if (one.path("check").asText().equals(check)) {
        return one.path("verdict").asText() + " " + one.path("detail").asText();
      }
    }
    return "none of " + check + " in " + findings;
  }

  private static JsonNode doctor(Path settings) throws IOException {
    Sluices.Outcome outcome = Sluices.run("doctor", "-o", "json", "--config", settings.toString());
    return new ObjectMapper().readTree(outcome.out());
  }

  @Test
  void aServersFileSaysWhomToAskAndWithWhatKey() throws IOException {
    Path settings =
        settings(
            "server.coordinators = " + cluster.coordinator(),
            "server.memory = 300m",
            "server.bind-address = 127.0.0.1",
            "server.port = 0",
            "server.http.port = 0",
            security());

    JsonNode findings = doctor(settings);

    assertThat(finding(findings, "settings")).startsWith("OK");
    assertThat(finding(findings, "coordinator"))
        .isEqualTo("OK " + cluster.coordinator() + " leads term 1");
    assertThat(finding(findings, "clock")).startsWith("OK").contains("± ");
    assertThat(finding(findings, "versions")).startsWith("OK");
  }

  @Test
  void aCommandWithoutTheKeyIsToldItsOwnOption() {
    Sluices.Outcome outcome =
        Sluices.run("cluster", "status", "--coordinator", cluster.coordinator().toString());

    assertThat(outcome.code()).isEqualTo(ExitCode.FAILED);
    assertThat(outcome.err()).contains("a command shows it with --cluster-key-file");
  }

  @Test
  void eachCoordinatorOfTheListIsALineAndOneThatIsDeadFails() throws IOException {
    Path settings =
        settings("server.coordinators = " + cluster.coordinator() + ",127.0.0.1:1", security());

    Sluices.Outcome outcome = Sluices.run("doctor", "-o", "json", "--config", settings.toString());
    JsonNode findings = new ObjectMapper().readTree(outcome.out());

    assertThat(outcome.code()).isEqualTo(ExitCode.FAILED);
    assertThat(finding(findings, "coordinator")).startsWith("OK");
    assertThat(finding(findings, "coordinator " + cluster.coordinator()))
        .isEqualTo("OK development, leads");
    assertThat(finding(findings, "coordinator 127.0.0.1:1")).startsWith("FAIL does not answer: ");
    assertThat(finding(findings, "zookeeper")).startsWith("SKIP needs --config");
    assertThat(finding(findings, "clocks of servers")).startsWith("SKIP");
  }

  @Test
  void twoThatLeadClustersOfTheirOwnFail() throws Exception {
    Map<String, String> security =
        Map.of(
            "security.enabled", "true",
            "security.trusted-network", "true",
            "security.cluster-key-file", key.toString());
    try (InProcessCluster other =
        InProcessCluster.start(directory.resolve("other"), 0, security, Map.of())) {
      Path settings =
          settings(
              "server.coordinators = " + cluster.coordinator() + "," + other.coordinator(),
              security());

      assertThat(finding(doctor(settings), "leader"))
          .startsWith("FAIL ")
          .contains(cluster.coordinator() + " say " + cluster.coordinator())
          .contains(other.coordinator() + " say " + other.coordinator())
          .contains("coordinator.zookeeper.connect and coordinator.zookeeper.root");
    }
  }

  @Test
  void aCoordinatorsFileSaysWhereItIs() throws IOException {
    Path settings =
        settings(
            "coordinator.bind-address = 127.0.0.1",
            "coordinator.port = " + cluster.coordinator().port(),
            "coordinator.http.port = 0",
            "coordinator.data-dir = " + directory.resolve("data"),
            security());

    assertThat(finding(doctor(settings), "coordinator")).contains(" leads term 1");
  }

  @Test
  void whatIsGivenGoesFirst() throws IOException {
    Path settings = settings("server.coordinators = " + cluster.coordinator(), security());

    Sluices.Outcome outcome =
        Sluices.run("doctor", "--config", settings.toString(), "--coordinator", "127.0.0.1:1");

    assertThat(outcome.out()).contains("no coordinator answers: 127.0.0.1:1");
  }

  @Test
  void settingsThatAreWrongAreAListBelowEachOtherAndNobodyIsGuessed() throws IOException {
    Path settings = settings("server.prot = 1", "server.zone = a b");

    Sluices.Outcome outcome = Sluices.run("doctor", "--config", settings.toString());

    assertThat(outcome.code()).isEqualTo(ExitCode.FAILED);
    assertThat(outcome.out().lines())
        .anyMatch(line -> line.matches("settings +fail +\\d problems.*"))
        .anyMatch(line -> line.matches("  {10,}- unknown key server.prot.*"))
        .anyMatch(line -> line.matches("coordinator +skip +which one.*"))
        .allMatch(line -> line.length() < 400);
  }
}
