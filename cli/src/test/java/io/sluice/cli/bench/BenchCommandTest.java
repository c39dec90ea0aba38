package io.sluice.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.cli.CommandFailedException;
import io.sluice.cli.ExitCode;
import io.sluice.cli.InProcessCluster;
import io.sluice.cli.Sluices;
import io.sluice.client.ClientConfig;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.SluiceClient;
import io.sluice.client.control.CoordinatorClient;
import io.sluice.client.control.CoordinatorClientConfig;
import io.sluice.client.control.RegisteredApplication;
import io.sluice.client.control.Registration;
import io.sluice.common.config.DataSize;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/** Through a real coordinator to two real servers. */
class BenchCommandTest {
  @SuppressWarnings("NullAway.Init")
  private static InProcessCluster cluster;

  @BeforeAll
  static void start(@TempDir Path directory) throws Exception {
    cluster = InProcessCluster.start(directory, 2, Map.of(), Map.of());
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static Sluices.Outcome run(String... args) {
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--coordinators", cluster.coordinator().toString()));
    return Sluices.run(all.toArray(String[]::new));
  }

  private static JsonNode json(String... args) throws IOException {
    Sluices.Outcome outcome = run(args);
    assertThat(outcome).matches(Sluices.Outcome::isOk);
    return new ObjectMapper().readTree(outcome.out());
  }

  @Test
  void whatIsWrittenIsReadAndNothingIsLeft() throws IOException {
    JsonNode report =
        json("bench", "--size", "20m", "--partitions", "7", "--clients", "2", "-o", "json");

    assertThat(report.path("verified").asBoolean()).isTrue();
    assertThat(report.path("bytes").asLong()).isEqualTo(20 << 20);
    assertThat(report.path("replicas").asInt()).isEqualTo(1);
    long alone = report.path("acknowledged").path("blocks").asLong();
    assertThat(alone).as("each server once; there are no hundred blocks").isEqualTo(2);
    assertThat(report.path("acknowledged").path("bytes").asLong()).isEqualTo(2 * (256 << 10));
    assertThat(report.path("write").path("bytes").asLong())
        .isBetween(20L << 20, (20L << 20) + 2 * (256 << 10));
    assertThat(report.path("read").path("bytes").asLong())
        .isEqualTo((20 << 20) + alone * (256 << 10));
    assertThat(report.path("write").path("mb_per_s").asDouble()).isPositive();
    assertThat(report.path("servers")).hasSize(2);
    long written = 0;
    for (JsonNode server : report.path("servers")) {
      written += server.path("written_bytes").asLong();
      assertThat(server.path("read_mb_per_s").asDouble()).isPositive();
      assertThat(server.path("acknowledged").path("p99_ms").asDouble())
          .isPositive()
          .isGreaterThanOrEqualTo(server.path("acknowledged").path("p50_ms").asDouble());
    }
    assertThat(written).isEqualTo(20 << 20);
    Leftovers.assertNone(cluster);
  }

  @Test
  void aReplicaIsCountedWhereItIs() throws IOException {
    JsonNode report =
        json("bench", "--size", "5m", "--replicas", "2", "--block-size", "64k", "-o", "json");

    assertThat(report.path("replicas").asInt()).isEqualTo(2);
    for (JsonNode server : report.path("servers")) {
      assertThat(server.path("written_bytes").asLong()).isEqualTo(5 << 20);
      assertThat(server.path("read_mb_per_s").isNull()).as("clients read any").isTrue();
    }
  }

  @Test
  void theSameForPeopleAndAsYaml() {
    assertThat(run("bench", "--size", "3m", "--partitions", "4").out())
        .contains("every byte is as it was written", "WRITE MB/S", "127.0.0.1:")
        .containsPattern("write +3\\.\\d MiB");
    Object yaml =
        new Yaml().load(run("bench", "--size", "1m", "--partitions", "300", "-o", "yaml").out());
    assertThat(yaml)
        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
        .containsEntry("partitions", 300)
        .containsEntry("verified", true);
  }

  @Test
  void whatIsNotWhatWasWrittenFails() throws InterruptedException {
    Load load = Load.of(DataSize.parse("2m"), DataSize.parse("64k"), 5, 1);
    try (CoordinatorClient control =
            CoordinatorClient.open(CoordinatorClientConfig.of(List.of(cluster.coordinator())));
        RegisteredApplication application =
            control.registerApplication(
                new Registration(new ApplicationId(UUID.randomUUID()), "wrong", "t", "t", "0"));
        SluiceClient client = SluiceClient.open(ClientConfig.defaults())) {
      ShufflePlacement placement =
          application.createShuffle(new ShuffleKey(application.id(), 0, 0), 5, 0, List.of());
      Pattern other = new Pattern(1);
      new Traffic(client, placement, load, other).write(new Pace());
      Probes none = new Probes(client, placement, load, other, Clock.system());

      new Traffic(client, placement, load, new Pattern(1)).read(none);
      assertThatThrownBy(() -> new Traffic(client, placement, load, new Pattern(2)).read(none))
          .isInstanceOfSatisfying(
              CommandFailedException.class,
              failed -> assertThat(failed.exitCode()).isEqualTo(ExitCode.FAILED))
          .hasMessageContaining("is not what was written, from byte ");
    }
  }

  @Test
  void whoIsNotLetInIsToldWhy() {
    String user = System.getProperty("user.name");
    assertThat(run("admission", "set", "--deny", user)).matches(Sluices.Outcome::isOk);
    try {
      Sluices.Outcome outcome = run("bench", "--size", "1m");
      assertThat(outcome.code()).isEqualTo(ExitCode.FAILED);
      assertThat(outcome.err()).contains("sluice bench: ", user, "(ACCESS_DENIED)");
    } finally {
      run("admission", "set", "--deny", "");
    }
  }

  @Test
  void whatMakesNoSenseIsUsage() {
    assertWrong("--size has to be", "--size", "0");
    assertWrong("not a size", "--size", "12");
    assertWrong("--block-size", "--block-size", "8m");
    assertWrong("--partitions", "--partitions", "0");
    assertWrong("--clients has to be 1 to 31", "--clients", "32", "--block-size", "2m");
    assertWrong("--replicas", "--replicas", "0");
    assertWrong("'nowhere' is no host:port", "--coordinator", "nowhere");
    assertThat(BenchRun.clientsMax(Load.BLOCK_BYTES_MAX)).isEqualTo(31);
  }

  private static void assertWrong(String message, String... args) {
    List<String> all = new ArrayList<>(List.of("bench"));
    Collections.addAll(all, args);
    Sluices.Outcome outcome = Sluices.run(all.toArray(String[]::new));
    assertThat(outcome.code()).as(outcome.err()).isEqualTo(ExitCode.USAGE);
    assertThat(outcome.err()).contains(message);
  }
}
