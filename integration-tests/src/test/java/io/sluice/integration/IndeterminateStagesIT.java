package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.TestedSpark;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.JobResult;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.integration.fault.Fault;
import io.sluice.integration.fault.JobGate;
import io.sluice.integration.fault.JobWatch;
import io.sluice.integration.fault.JobWatch.StageAttempt;
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

/**
 * A server is killed with what some maps had given it, when two of four readers have read theirs.
 * Where another run of a map gives readers other rows, Spark has all maps and all readers run
 * again; else those whose rows are lost.
 */
@MostlyWaits
@ParameterizedClass
@MethodSource("io.sluice.integration.Runs#lines")
@ExtendWith(OwnShuffle.Extension.class)
class IndeterminateStagesIT {
  private static final int EXECUTORS = 2;

  /** No other stage of the job has as many tasks. */
  private static final int MAPS = 12;

  private static final int READERS = 4;

  private static @Nullable Runs shared;
  private static @Nullable LocalCluster cluster;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  /** For JUnit, which gives it to {@code start} as well. */
  @Parameter @Nullable TestedSpark line;

  @BeforeParameterizedClassInvocation
  static void start(TestedSpark line) throws Exception {
    shared = new Runs("indeterminate", line);
    cluster = shared.coordinated(2, "256m", Map.of("coordinator.server.lost-after", "10s"));
  }

  @AfterParameterizedClassInvocation
  static void stop() {
    if (shared != null) {
      shared.close();
    }
  }

  @Test
  void allMapsRunAgainThatMayGiveOtherRows(OwnShuffle own) throws Exception {
    List<StageAttempt> attempts = attemptsAroundADeath(own, "dealt in any order");

    assertThat(again(attempts, MAPS)).as("maps").isNotEmpty().containsOnly(MAPS);
    assertThat(again(attempts, READERS)).as("readers").contains(READERS);
  }

  @Test
  void otherMapsRunAgainOnlyIfTheirRowsAreLost(OwnShuffle own) throws Exception {
    List<StageAttempt> attempts = attemptsAroundADeath(own, "dealt by hash");

    assertThat(again(attempts, MAPS)).as("maps").isNotEmpty().allMatch(tasks -> tasks < MAPS);
  }

  /** The attempts of the job's stages; its rows are exact. */
  private static List<StageAttempt> attemptsAroundADeath(OwnShuffle own, String workload)
      throws Exception {
    JobRequest request = new JobRequest(workload, 20_000, READERS, MAPS, false, "", false);
    Runs runs = Objects.requireNonNull(shared);
    LocalCluster servers = Objects.requireNonNull(cluster);
    Fault death = Fault.killing(servers.servers().get(0).process().pid(), () -> servers.restart(1));
    ExecutorService driving = Executors.newSingleThreadExecutor();
    try (JobGate gate = JobGate.open();
        JobWatch watch = JobWatch.open();
        SparkDriver driver =
            runs.faultDriver(
                runs.through(servers, "local-cluster[2,1,1024]", settings(gate, watch)))) {
      watch.expect(List.of());
      Future<JobResult> job = driving.submit(() -> driver.run(request, Runs.DEADLINE));
      gate.await(EXECUTORS);
      gate.letPass(EXECUTORS);
      death.begin();
      gate.letAllPass();
      assertThat(job.get(2, TimeUnit.MINUTES).fingerprint()).isEqualTo(own.faultJob(request));
      return watch.end();
    } finally {
      driving.shutdownNow();
      death.end();
    }
  }

  /** How many tasks each attempt beyond the first had of the stage that had so many at first. */
  private static List<Integer> again(List<StageAttempt> attempts, int tasks) {
    List<Integer> stages =
        attempts.stream()
            .filter(attempt -> attempt.number() == 0 && attempt.tasks() == tasks)
            .map(StageAttempt::stage)
            .toList();
    assertThat(stages).hasSize(1);
    return FaultSession.again(attempts).stream()
        .filter(attempt -> attempt.stage() == stages.get(0))
        .map(StageAttempt::tasks)
        .toList();
  }

  private static Map<String, String> settings(JobGate gate, JobWatch watch) {
    return Map.of(
        "spark.sluice.reconnectDeadline", "10s",
        "spark.faults.gate.port", Integer.toString(gate.port()),
        "spark.faults.news.port", Integer.toString(watch.port()));
  }
}
