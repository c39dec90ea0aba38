package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.cluster.ApplicationCommand;
import io.sluice.cli.cluster.ClusterView;
import io.sluice.cli.cluster.CoordinatorChannels;
import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.spark.JobFailedException;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.JobResult;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.integration.fault.JobGate;
import io.sluice.proto.control.v1.ApplicationInfo;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import picocli.CommandLine;

/** An operator ends an application in the middle of its job: the job says so, at once. */
@MostlyWaits
class KilledApplicationIT {
  private static final JobRequest REQUEST =
      new JobRequest("repartition", 100_000, 8, 12, false, "", false);
  private static final String REASON = "was ended by an operator (anybody from 127.0.0.1:";

  private static @Nullable Runs shared;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  @BeforeAll
  static void start() throws Exception {
    shared = new Runs("killed");
  }

  @AfterAll
  static void stop() {
    if (shared != null) {
      shared.close();
    }
  }

  @Test
  void itsJobsFailWithTheReasonAndNothingIsRecomputed() throws Exception {
    Runs runs = Objects.requireNonNull(shared);
    LocalCluster cluster = runs.cluster(1, "512m");
    ExecutorService driving = Executors.newSingleThreadExecutor();
    try (JobGate gate = JobGate.open();
        SparkDriver driver =
            runs.faultDriver(
                runs.through(
                    cluster,
                    "local[2]",
                    Map.of("spark.faults.gate.port", Integer.toString(gate.port()))))) {
      Future<JobResult> job = driving.submit(() -> driver.run(REQUEST, Runs.DEADLINE));
      gate.await(2);

      assertThat(kill(cluster)).isZero();

      assertThatThrownBy(() -> job.get(60, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(JobFailedException.class)
          .hasMessageContaining(REASON);
      gate.letAllPass();
      assertThatThrownBy(() -> driver.run(REQUEST, Runs.DEADLINE))
          .isInstanceOf(JobFailedException.class)
          .hasMessageContaining(REASON);
    } finally {
      driving.shutdownNow();
    }
    assertThat(runs.lastLog()).doesNotContain("submitted attempt 1 of stage");
  }

  private static int kill(LocalCluster cluster) {
    List<ApplicationInfo> applications =
        ClusterView.ask(CoordinatorChannels.open(), List.of(cluster.coordinatorAddress()))
            .getApplicationsList();
    assertThat(applications).hasSize(1);
    var id = applications.get(0).getApplication();
    return new CommandLine(new ApplicationCommand())
        .execute(
            "kill",
            new UUID(id.getHigh(), id.getLow()).toString(),
            "--coordinator",
            cluster.coordinatorAddress());
  }
}
