package io.sluice.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.ExitCode;
import io.sluice.cli.InProcessCluster;
import io.sluice.cli.Sluices;
import io.sluice.common.config.HostPort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs that do not come to their end by themselves, and what they leave. */
class BenchEndsTest {
  private static final String NOTHING_LEFT = "stopped by a signal, with nothing left behind";

  private final Path directory;

  BenchEndsTest(@TempDir Path directory) {
    this.directory = directory;
  }

  /** In a process of its own, because the signal ends it. Ctrl-C is another name for the same. */
  @Test
  void aSignalEndsItAndNothingIsLeft() throws Exception {
    try (InProcessCluster cluster = InProcessCluster.start(directory, 2, Map.of(), Map.of());
        BenchProcess bench = BenchProcess.start(cluster.coordinator())) {
      bench.says("registering at");
      bench.says("writing to 2 servers");
      Leftovers.until(cluster, "(?s).*partitions: [1-9].*");

      bench.signal();

      assertThat(bench.says("stopped")).isEqualTo(NOTHING_LEFT);
      assertThat(bench.exitCode()).isEqualTo(143);
      Leftovers.assertNone(cluster);
    }
  }

  @Test
  void aSignalBeforeTheRegistrationIsAnsweredEndsItAllTheSame() throws Exception {
    try (InProcessCluster cluster = InProcessCluster.start(directory, 1, Map.of(), Map.of());
        HeldRelay relay = new HeldRelay(cluster.coordinator());
        BenchProcess bench = BenchProcess.start(relay.address())) {
      relay.awaitConnection();
      bench.signal();
      bench.says("stopping");
      relay.release();

      bench.says("application ");
      assertThat(bench.says("stopped")).isEqualTo(NOTHING_LEFT);
      assertThat(bench.exitCode()).isEqualTo(143);
      Leftovers.assertNone(cluster);
    }
  }

  @Test
  void whatMayBeRegisteredAllTheSameIsSaid() throws Exception {
    try (HeldRelay nobody = new HeldRelay(new HostPort("127.0.0.1", 1))) {
      Sluices.Outcome outcome =
          Sluices.run(
              "bench", "--leader-timeout", "0", "--coordinator", nobody.address().toString());

      assertThat(outcome.code()).isEqualTo(ExitCode.UNAVAILABLE);
      assertThat(outcome.err())
          .containsPattern("if application [0-9a-f-]{36} was registered all the same, its data")
          .contains("(COORDINATOR_UNAVAILABLE)")
          .doesNotContain("nothing left", "\tat ");
    }
  }

  @Test
  void whoEndsItsApplicationIsNamed() throws Exception {
    try (InProcessCluster cluster = InProcessCluster.start(directory, 1, Map.of(), Map.of());
        BenchProcess bench = BenchProcess.start(cluster.coordinator())) {
      String id = bench.says("application ").substring("application ".length());
      Leftovers.until(cluster, "(?s).*partitions: [1-9].*");

      String[] kill = {"app", "kill", id, "--coordinator", cluster.coordinator().toString()};
      assertThat(Sluices.run(kill)).matches(Sluices.Outcome::isOk);

      assertThat(bench.says("sluice bench: "))
          .contains(id + " was ended by an operator (anybody from ", "(APPLICATION_ENDED)");
      assertThat(bench.exitCode()).isEqualTo(ExitCode.FAILED);
      assertThat(Sluices.run(kill)).as("again").matches(Sluices.Outcome::isOk);
    }
  }

  @Test
  void aServerThatGoesIsLeft() throws Exception {
    try (InProcessCluster cluster = InProcessCluster.start(directory, 3, Map.of(), Map.of());
        BenchProcess bench = BenchProcess.start(cluster.coordinator(), "--replicas", "2")) {
      bench.says("writing to 3 servers");
      Leftovers.until(cluster, "(?s).*partitions: [1-9].*");

      cluster.servers().get(0).close();

      bench.says("goes on elsewhere");
      bench.signal();
      assertThat(bench.says("stopped")).isEqualTo(NOTHING_LEFT);
      assertThat(bench.exitCode()).isEqualTo(143);
    }
  }

  @Test
  void aServerThatRefusesEndsItAndNothingIsLeft() throws Exception {
    Map<String, String> quota = Map.of("server.quota.application", "8m");
    try (InProcessCluster cluster = InProcessCluster.start(directory, 2, Map.of(), quota)) {
      Sluices.Outcome outcome =
          Sluices.run("bench", "--size", "100m", "--coordinator", cluster.coordinator().toString());
      assertThat(outcome.code()).isEqualTo(ExitCode.FAILED);
      assertThat(outcome.err()).contains("(QUOTA_EXCEEDED)");
      Leftovers.assertNone(cluster);
    }
  }

  @Test
  void withSecurityOnItHasASecretOfItsOwn() throws Exception {
    Path key = Files.writeString(directory.resolve("key"), "0123456789abcdef".repeat(4) + "\n");
    Map<String, String> security =
        Map.of(
            "security.enabled", "true",
            "security.trusted-network", "true",
            "security.cluster-key-file", key.toString());
    try (InProcessCluster cluster = InProcessCluster.start(directory, 2, security, Map.of())) {
      String[] options = {"--cluster-key-file", key.toString()};
      String coordinator = cluster.coordinator().toString();
      List<String> bench = List.of("bench", "--size", "5m", "--coordinator", coordinator);

      Sluices.Outcome without = Sluices.run(bench.toArray(String[]::new));
      assertThat(without.code()).isEqualTo(ExitCode.FAILED);
      assertThat(without.err()).contains("(AUTHENTICATION_FAILED)");

      Sluices.Outcome with =
          Sluices.run(
              "bench", "--size", "5m", "--coordinator", coordinator, options[0], options[1]);
      assertThat(with).matches(Sluices.Outcome::isOk);
      assertThat(with.out()).contains("every byte is as it was written");
      Leftovers.assertNone(cluster, options);
    }
  }
}
