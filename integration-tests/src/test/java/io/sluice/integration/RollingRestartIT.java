package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.spark.Fingerprint;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.SparkDriver;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * All servers of a cluster stopped and started again, one after the other and the last one at
 * another address, while a driver runs one job after the other: every result exact, no stage tried
 * twice.
 */
@MostlyWaits
@ExtendWith(OwnShuffle.Extension.class)
class RollingRestartIT {
  private static final JobRequest REQUEST =
      new JobRequest("repartition", 400_000, 40, 8, false, "", false);

  private static @Nullable Runs shared;
  private static @Nullable Fingerprint expected;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  @BeforeAll
  static void start(OwnShuffle own) throws Exception {
    shared = new Runs("rolling");
    expected = own.faultJob(REQUEST);
  }

  @AfterAll
  static void stop() {
    if (shared != null) {
      shared.close();
    }
  }

  @Test
  void aRollingRestartUnderLoadLosesAndRecomputesNothing() throws Exception {
    Runs runs = Objects.requireNonNull(shared);
    LocalCluster cluster = runs.cluster(2, "512m");
    ExecutorService operator = Executors.newSingleThreadExecutor();
    int jobs = 0;
    try (SparkDriver driver =
        runs.faultDriver(
            runs.through(cluster, Runs.LOCAL, Map.of("spark.sluice.write.buffer", "1m")))) {
      driver.run(REQUEST, Runs.DEADLINE);
      Future<?> restarts = operator.submit(rollingRestart(cluster));
      while (!restarts.isDone()) {
        jobs++;
        assertThat(driver.run(REQUEST, Runs.DEADLINE).fingerprint()).isEqualTo(expected);
      }
      restarts.get(1, TimeUnit.SECONDS);
      assertThat(driver.run(REQUEST, Runs.DEADLINE).fingerprint()).isEqualTo(expected);
    } finally {
      operator.shutdownNow();
    }

    assertThat(jobs).as("jobs that ran while servers were restarted").isPositive();
    assertThat(
            Pattern.compile("submitted attempt (\\d+) of stage")
                .matcher(runs.lastLog())
                .results()
                .map(found -> found.group(1)))
        .isNotEmpty()
        .allMatch("0"::equals);
    for (int server = 1; server <= 2; server++) {
      assertThat(runs.serverLog(server)).contains("nothing is lost since incarnation 1");
    }
  }

  private static Callable<Void> rollingRestart(LocalCluster cluster) {
    return () -> {
      cluster.restart(1);
      String before = cluster.servers().get(1).announcement().address();
      cluster.restartElsewhere(2);
      assertThat(cluster.servers().get(1).announcement().address()).isNotEqualTo(before);
      return null;
    };
  }
}
