package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.cluster.QuotaCommand;
import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.TestedSpark;
import io.sluice.cli.spark.Fingerprint;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.JobResult;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.integration.fault.Fault;
import io.sluice.integration.fault.JobGate;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** What a real cluster does not take goes through Spark's own shuffle, on real executors. */
@ParameterizedClass
@MethodSource("io.sluice.integration.Runs#lines")
@ExtendWith(OwnShuffle.Extension.class)
class FallbackIT {
  private static final int EXECUTORS = 2;
  private static final int MAPS = 8;
  private static final JobRequest REQUEST =
      new JobRequest("repartition", 120_000, 6, MAPS, false, "", false);
  private static final String USER = "user:" + System.getProperty("user.name");
  private static final String LOCAL = "goes through Spark's own shuffle: ";

  private static @Nullable Runs shared;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  /** For JUnit, which gives it to {@code start} as well. */
  @Parameter @Nullable TestedSpark line;

  @BeforeParameterizedClassInvocation
  static void start(TestedSpark line) throws Exception {
    shared = new Runs("fallback", line);
  }

  @AfterParameterizedClassInvocation
  static void stop() {
    if (shared != null) {
      shared.close();
    }
  }

  @Test
  void rowsAreExactWhicheverWayAShuffleGoes(OwnShuffle own) throws Exception {
    Runs runs = Objects.requireNonNull(shared);
    Fingerprint expected = own.faultJob(REQUEST);
    LocalCluster cluster = runs.cluster(1, "256m");
    assertThat(quota(cluster, "set", USER, "--partitions", "1")).isZero();
    ExecutorService driving = Executors.newSingleThreadExecutor();
    try (JobGate gate = JobGate.open();
        SparkDriver driver =
            runs.faultDriver(
                runs.through(cluster, "local-cluster[2,1,1024]", properties(gate.port())))) {
      // Refused: the maps of an executor that dies run again, as with Spark's own manager.
      Future<JobResult> job = driving.submit(() -> driver.run(REQUEST, Runs.DEADLINE));
      gate.release(MAPS);
      gate.await(MAPS + EXECUTORS);
      assertThat(gate.arrived("REDUCE")).isEqualTo(EXECUTORS);
      ExecutorKills.kill(ExecutorKills.of(driver).subList(0, 1));
      gate.letAllPass();
      assertThat(job.get(2, TimeUnit.MINUTES).fingerprint()).isEqualTo(expected);
      assertThat(gate.arrived("MAP")).as("attempts of maps").isGreaterThan(MAPS);
      assertThat(cluster.usage().pushedBytes()).isZero();
      assertThat(runs.lastLog())
          .contains(
              LOCAL
                  + "the coordinators refuse it: QUOTA_EXCEEDED: user '"
                  + System.getProperty("user.name")
                  + "' has 0 and wants 6");

      assertThat(quota(cluster, "remove", USER)).isZero();
      assertThat(driver.run(REQUEST, Runs.DEADLINE).fingerprint()).isEqualTo(expected);
      assertThat(cluster.usage().pushedBytes()).isPositive();

      Fault.killing(cluster.coordinator().pid(), () -> {}).begin();
      // The first of its shuffles was placed ahead, most likely; those of the next job were not.
      assertThat(driver.run(REQUEST, Runs.DEADLINE).fingerprint()).isEqualTo(expected);
      assertThat(driver.run(REQUEST, Runs.DEADLINE).fingerprint()).isEqualTo(expected);
      assertThat(runs.lastLog())
          .contains(LOCAL + "no coordinator places it: COORDINATOR_UNAVAILABLE: ")
          .contains(LOCAL + "coordinators are asked again in ");
    } finally {
      driving.shutdownNow();
    }
  }

  private static Map<String, String> properties(int gate) {
    return Map.of(
        "spark.sluice.fallback", "auto",
        "spark.sluice.fallback.after", "10s",
        "spark.faults.gate.port", Integer.toString(gate));
  }

  private static int quota(LocalCluster cluster, String... words) {
    String[] all = Arrays.copyOf(words, words.length + 2);
    all[words.length] = "--coordinator";
    all[words.length + 1] = cluster.coordinatorAddress();
    return new CommandLine(new QuotaCommand()).execute(all);
  }
}
