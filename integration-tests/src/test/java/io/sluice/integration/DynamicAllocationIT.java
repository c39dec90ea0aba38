package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.TestedSpark;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.JobResult;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.integration.fault.JobGate;
import java.util.HashMap;
import java.util.List;
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

/** Executors come and go, without an external shuffle service: map outputs stay. */
@MostlyWaits
@ParameterizedClass
@MethodSource("io.sluice.integration.Runs#lines")
@ExtendWith(OwnShuffle.Extension.class)
class DynamicAllocationIT {
  private static final int EXECUTORS = 2;
  private static final int MAPS = 8;
  private static final int PARTITIONS = 6;
  private static final JobRequest REQUEST =
      new JobRequest("repartition", 120_000, PARTITIONS, MAPS, false, "", false);

  private static final Map<String, String> DYNAMIC =
      Map.of(
          "spark.dynamicAllocation.enabled", "true",
          "spark.dynamicAllocation.minExecutors", "0",
          "spark.dynamicAllocation.initialExecutors", Integer.toString(EXECUTORS),
          "spark.dynamicAllocation.maxExecutors", Integer.toString(EXECUTORS),
          "spark.executor.cores", "1",
          "spark.executor.memory", "1g");

  /** When all executors have idled out. */
  private static final Map<String, String> READ_AGAIN =
      Map.of("spark.dynamicAllocation.executorIdleTimeout", "1s", "spark.faults.again", "true");

  private static final Map<String, String> DECOMMISSIONED =
      Map.of(
          "spark.decommission.enabled", "true",
          "spark.storage.decommission.enabled", "true",
          "spark.faults.decommission.map", Integer.toString(MAPS - 1));

  private static @Nullable Runs shared;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  /** For JUnit, which gives it to {@code start} as well. */
  @Parameter @Nullable TestedSpark line;

  @BeforeParameterizedClassInvocation
  static void start(TestedSpark line) throws Exception {
    shared = new Runs("dynamic", line);
  }

  @AfterParameterizedClassInvocation
  static void stop() {
    if (shared != null) {
      shared.close();
    }
  }

  @Test
  void noMapThatEndedRunsAgainWhicheverExecutorsLeave(OwnShuffle own) throws Exception {
    Runs runs = Objects.requireNonNull(shared);
    LocalCluster cluster = runs.cluster(2, "256m");
    ExecutorService driving = Executors.newSingleThreadExecutor();
    try (JobGate gate = JobGate.open();
        SparkDriver driver =
            runs.faultDriver(
                runs.through(cluster, "local-cluster[2,1,1024]", dynamic(gate, READ_AGAIN)))) {
      Future<JobResult> job = driving.submit(() -> driver.run(REQUEST, Runs.DEADLINE));
      gate.await(EXECUTORS);
      gate.letPass(EXECUTORS);

      // One is taken away with a map half done, and what it had finished before.
      ExecutorKills.kill(ExecutorKills.of(driver).subList(0, 1));
      gate.await(1);
      int mapsToCome = MAPS - 2 * EXECUTORS;
      gate.release(MAPS - EXECUTORS + 1);
      gate.await(mapsToCome + EXECUTORS);
      assertThat(gate.arrived("MAP")).isEqualTo(MAPS + 1);
      assertThat(gate.arrived("REDUCE")).isEqualTo(EXECUTORS);

      // All maps have ended, and no reduce has: every executor that ran one of them goes.
      List<ProcessHandle> all = ExecutorKills.of(driver);
      assertThat(all).hasSize(EXECUTORS);
      ExecutorKills.kill(all);
      gate.await(EXECUTORS);
      gate.letAllPass();

      // Then the job reads it all once more, when the executors that read it had idled out.
      assertThat(job.get(2, TimeUnit.MINUTES).fingerprint()).isEqualTo(own.faultJob(REQUEST));
      assertThat(gate.arrived("MAP")).as("attempts of maps").isEqualTo(MAPS + 1);
      assertThat(gate.arrived("REDUCE")).isEqualTo(2 * PARTITIONS + EXECUTORS);
    } finally {
      driving.shutdownNow();
    }
    assertThat(runs.lastLog())
        .contains("all executors have left")
        .doesNotContain("submitted attempt 1 of stage");
  }

  @Test
  void noMapRunsAgainOfAnExecutorThatIsDecommissioned(OwnShuffle own) throws Exception {
    Runs runs = Objects.requireNonNull(shared);
    LocalCluster cluster = runs.cluster(2, "256m");
    ExecutorService driving = Executors.newSingleThreadExecutor();
    try (JobGate gate = JobGate.open();
        SparkDriver driver =
            runs.faultDriver(
                runs.through(cluster, "local-cluster[2,1,1024]", dynamic(gate, DECOMMISSIONED)))) {
      Future<JobResult> job = driving.submit(() -> driver.run(REQUEST, Runs.DEADLINE));
      gate.await(EXECUTORS);
      List<ProcessHandle> executors = ExecutorKills.of(driver);
      assertThat(executors).hasSize(EXECUTORS);

      // Whoever ends the last map but one has no other task while the last one waits.
      gate.release(MAPS - 1);
      ExecutorKills.awaitEndOfOne(executors);
      assertThat(gate.arrived("REDUCE")).isZero();
      gate.letAllPass();

      assertThat(job.get(2, TimeUnit.MINUTES).fingerprint()).isEqualTo(own.faultJob(REQUEST));
      assertThat(executors.stream().filter(ProcessHandle::isAlive)).hasSize(EXECUTORS - 1);
      assertThat(gate.arrived("MAP")).as("attempts of maps").isEqualTo(MAPS);
      assertThat(gate.arrived("REDUCE")).isEqualTo(PARTITIONS);
    } finally {
      driving.shutdownNow();
    }
    assertThat(runs.lastLog())
        .containsPattern("executor \\d+ is decommissioned")
        .containsPattern("executor \\d+ has left: Executor decommission")
        .doesNotContain("submitted attempt 1 of stage");
  }

  private static Map<String, String> dynamic(JobGate gate, Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(DYNAMIC);
    settings.put("spark.faults.gate.port", Integer.toString(gate.port()));
    settings.putAll(more);
    return settings;
  }
}
