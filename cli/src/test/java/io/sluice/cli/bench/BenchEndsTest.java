package io.sluice.cli.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.ExitCode;
import io.sluice.cli.InProcessCluster;
import io.sluice.cli.Sluices;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs that do not come to their end by themselves, and what they leave. */
class BenchEndsTest {
  private final Path directory;

  BenchEndsTest(@TempDir Path directory) {
    this.directory = directory;
  }

  /** In a process of its own, because the signal ends it. Ctrl-C is another name for the same. */
  @Test
  @Timeout(90)
  void aSignalEndsItAndNothingIsLeft() throws Exception {
    try (InProcessCluster cluster = InProcessCluster.start(directory, 2, Map.of(), Map.of())) {
      Process bench =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx256m",
                  "-cp",
                  System.getProperty("java.class.path"),
                  "io.sluice.cli.Sluice",
                  "bench",
                  "--size",
                  "1t",
                  "--block-size",
                  "2m",
                  "--coordinator",
                  cluster.coordinator().toString())
              .start();
      try (BufferedReader said =
          new BufferedReader(new InputStreamReader(bench.getErrorStream(), UTF_8))) {
        assertThat(said.readLine()).startsWith("registering at");
        assertThat(said.readLine()).isEqualTo("writing to 2 servers");
        Leftovers.until(cluster, "(?s).*partitions: [1-9].*");

        // Not the process's own, which closes what it says as well.
        bench.toHandle().destroy();

        assertThat(said.lines()).contains("stopped by a signal, with nothing left behind");
        assertThat(bench.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(bench.exitValue()).isEqualTo(143);
        Leftovers.assertNone(cluster);
      } finally {
        bench.destroyForcibly();
      }
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
