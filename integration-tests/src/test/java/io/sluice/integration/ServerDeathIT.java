package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.LocalServer;
import io.sluice.cli.spark.Fingerprint;
import io.sluice.cli.spark.JobFailedException;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.SparkSettings;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server killed with SIGKILL in the middle of a job that has no replicas: the job ends with exact
 * rows, or fails with an error that names the server; it never hangs and never loses rows.
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
  void aJobWhoseServerDiesIsExactOrNamesTheServer(int afterMapTasks) throws Exception {
    Runs runs = Objects.requireNonNull(shared);
    LocalCluster cluster = runs.cluster(2, "512m");
    LocalServer victim = cluster.servers().get(0);
    SparkSettings settings =
        runs.through(
            cluster,
            Runs.LOCAL,
            Map.of(
                "spark.faults.kill.pid", Long.toString(victim.process().pid()),
                "spark.faults.kill.afterTasks", Integer.toString(afterMapTasks),
                "spark.sluice.write.buffer", "1m",
                "spark.sluice.reconnectDeadline", "2s",
                "spark.sluice.blockDeadline", "20s"));
    try {
      assertThat(runs.faultJob(settings, REQUEST).fingerprint()).isEqualTo(expected);
    } catch (JobFailedException failed) {
      assertThat(failed).hasMessageContaining(victim.announcement().address());
    }
    assertThat(runs.lastLog()).contains(victim.announcement().address());
  }
}
