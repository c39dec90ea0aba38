package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.LocalServer;
import io.sluice.cli.spark.Fingerprint;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.SparkSettings;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server killed with SIGKILL in the middle of a job that has no replicas: maps push to the
 * others, what was lost is run again in one attempt of its stage, and the job ends with exact rows.
 */
@ExtendWith(OwnShuffle.Extension.class)
class ServerDeathIT {
  private static final int MAPS = 8;
  private static final JobRequest REQUEST =
      new JobRequest("repartition", 400_000, 40, MAPS, false, "", false);

  private static @Nullable Runs shared;
  private static @Nullable Fingerprint expected;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  @BeforeAll
  static void start(OwnShuffle own) throws Exception {
    shared = new Runs("death");
    expected = own.faultJob(REQUEST);
  }

  @AfterAll
  static void stop() {
    if (shared != null) {
      shared.close();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {3, MAPS + 3}) // while maps push; while the next stage reads what they pushed
  void aJobWhoseServerDiesGoesOnAtTheOthers(int afterMapTasks) throws Exception {
    Runs runs = Objects.requireNonNull(shared);
    LocalCluster cluster = runs.cluster(3, "512m");
    LocalServer victim = cluster.servers().get(0);
    SparkSettings settings =
        runs.through(
            cluster,
            Runs.LOCAL,
            Map.of(
                "spark.faults.kill.pid",
                Long.toString(victim.process().pid()),
                "spark.faults.kill.afterTasks",
                Integer.toString(afterMapTasks),
                "spark.sluice.write.buffer",
                "1m",
                "spark.sluice.reconnectDeadline",
                "2s"));
    assertThat(runs.faultJob(settings, REQUEST).fingerprint()).isEqualTo(expected);

    String log = runs.lastLog();
    assertThat(log).contains("killed process " + victim.process().pid() + ": true");
    assertThat(log).containsPattern("Shuffle .* has epoch 1");
    List<Attempt> attempts = attempts(log);
    assertThat(attempts).filteredOn(attempt -> attempt.number() > 0).isNotEmpty();
    assertThat(attempts)
        .as("everything that was lost is run again at once")
        .allMatch(attempt -> attempt.number() <= 2)
        .hasSizeLessThanOrEqualTo(9);
  }

  /** Attempts of stages, as the job has told. */
  private static List<Attempt> attempts(String log) {
    return Pattern.compile("submitted attempt (\\d+) of stage (\\d+) with (\\d+) tasks")
        .matcher(log)
        .results()
        .map(
            found ->
                new Attempt(
                    Integer.parseInt(found.group(2)),
                    Integer.parseInt(found.group(1)),
                    Integer.parseInt(found.group(3))))
        .toList();
  }

  private record Attempt(int stage, int number, int tasks) {}
}
