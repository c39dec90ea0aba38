package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.TestedSpark;
import io.sluice.cli.spark.Fingerprint;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.integration.fault.Fault;
import io.sluice.integration.fault.JobWatch;
import io.sluice.integration.fault.JobWatch.StageAttempt;
import io.sluice.integration.fault.JobWatch.Strike;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Executors of the newest Spark that have the client's jar from {@code spark.jars} alone, and so
 * only after their RPC was made: what the driver answers when a server dies must not need it.
 */
@MostlyWaits
class FetchedJarFaultsIT {
  private static final String EXECUTORS = "local-cluster[2,1,1024]";
  private static final int MAPS = 12;

  /** Both sides of a join are maps; its own tasks read them, and are maps of the next shuffle. */
  private static final int BOTH_SIDES = 2 * MAPS;

  private static final JobRequest REQUEST =
      new JobRequest("join", 800_000, 24, MAPS, false, "", false);

  private static @Nullable Runs shared;
  private static @Nullable LocalCluster cluster;
  private static @Nullable Fingerprint expected;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  /** When the server dies. */
  private enum Phase {
    MAP(7),
    REDUCE(BOTH_SIDES + 5);

    private final int afterMaps;

    Phase(int afterMaps) {
      this.afterMaps = afterMaps;
    }
  }

  @BeforeAll
  static void start() throws Exception {
    Runs runs = new Runs("fetched", TestedSpark.SPARK_42);
    shared = runs;
    try (SparkDriver own = runs.benchmarkDriver(runs.own(Runs.LOCAL))) {
      expected = own.run(REQUEST, Runs.DEADLINE).fingerprint();
    }
    cluster = runs.coordinated(2, "384m", Map.of("coordinator.server.lost-after", "15s"));
  }

  @AfterAll
  static void stop() {
    if (shared != null) {
      shared.close();
    }
  }

  /** All in the full matrix, and otherwise the one where tasks ask the driver most. */
  private static Stream<Arguments> deaths() {
    return Boolean.getBoolean("sluice.faults.full")
        ? Stream.of(1, 2)
            .flatMap(
                replicas -> Stream.of(Phase.values()).map(phase -> Arguments.of(replicas, phase)))
        : Stream.of(Arguments.of(1, Phase.MAP));
  }

  @ParameterizedTest
  @MethodSource("deaths")
  void executorsOutliveAServer(int replicas, Phase phase) throws Exception {
    Runs runs = Objects.requireNonNull(shared);
    LocalCluster servers = Objects.requireNonNull(cluster);
    Fault death = Fault.killing(servers.servers().get(0).process().pid(), () -> servers.restart(1));
    try (JobWatch watch = JobWatch.open();
        SparkDriver driver =
            runs.fetchingDriver(
                runs.through(servers, EXECUTORS, settings(replicas, watch.port())))) {
      watch.expect(List.of());
      assertThat(driver.run(REQUEST, Runs.DEADLINE).fingerprint())
          .as("before anybody dies")
          .isEqualTo(expected);
      assertThat(watch.end()).isNotEmpty();
      List<ProcessHandle> executors = ExecutorKills.of(driver);
      assertThat(executors).hasSize(2);

      watch.expect(List.of(new Strike(phase.afterMaps, null, death)));
      assertThat(driver.run(REQUEST, Runs.DEADLINE).fingerprint()).isEqualTo(expected);
      List<StageAttempt> attempts = watch.end();

      assertThat(ExecutorKills.of(driver))
          .as("executors")
          .containsExactlyInAnyOrderElementsOf(executors);
      List<StageAttempt> again = FaultSession.again(attempts);
      if (replicas == 1) {
        assertThat(again).as("stages run again").isNotEmpty();
      } else {
        assertThat(again).as("stages run again").isEmpty();
      }
    }
  }

  private static Map<String, String> settings(int replicas, int news) {
    return Map.of(
        "spark.sluice.replicas", Integer.toString(replicas),
        "spark.sluice.reconnectDeadline", "15s",
        "spark.sluice.write.buffer", "1m",
        // So that the tasks of the join are as many as its partitions.
        "spark.sql.adaptive.coalescePartitions.enabled", "false",
        "spark.extraListeners", "io.sluice.integration.job.JobNews",
        "spark.faults.news.port", Integer.toString(news));
  }
}
