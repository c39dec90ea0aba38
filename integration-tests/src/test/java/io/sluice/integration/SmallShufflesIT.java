package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.LocalServer;
import io.sluice.cli.process.ProcessUsage;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.JobResult;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.integration.quorum.Until;
import java.io.IOException;
import java.net.http.HttpClient;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Hundreds of small shuffles in one application, alive side by side: exact rows, no thread and no
 * connection for any of them, and nothing on disk.
 */
@ExtendWith(OwnShuffle.Extension.class)
class SmallShufflesIT {
  /** So many at a time, or there would be nothing to see. */
  private static final int ALIVE = 100;

  /** Compilers, collectors and pools come and go. */
  private static final int OTHERS = ALIVE / 4;

  private static final JobRequest WARM = shuffles(40);
  private static final JobRequest MANY = shuffles(600);
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private static @Nullable Runs shared;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  @BeforeAll
  static void start() throws Exception {
    shared = new Runs("small");
  }

  @AfterAll
  static void stop() {
    if (shared != null) {
      shared.close();
    }
  }

  @Test
  void shufflesShareThreadsAndConnections(OwnShuffle own) throws Exception {
    Runs runs = Objects.requireNonNull(shared);
    LocalCluster cluster = runs.cluster(1, "256m");
    LocalServer server = cluster.servers().get(0);
    try (SparkDriver driver = runs.benchmarkDriver(runs.through(cluster, Runs.LOCAL, Map.of()))) {
      driver.run(WARM, Runs.DEADLINE);
      ProcessUsage driverBefore = usage(driver.pid());
      ProcessUsage serverBefore = usage(server.process().pid());

      CompletableFuture<JobResult> run = CompletableFuture.supplyAsync(() -> run(driver));
      Until.holds(
          "many shuffles are alive", () -> run.isDone() || figure(server, "shuffles") >= ALIVE);
      ProcessUsage driverAmid = usage(driver.pid());
      ProcessUsage serverAmid = usage(server.process().pid());
      assertThat(figure(server, "shuffles")).isGreaterThanOrEqualTo(ALIVE);

      assertShared(driverBefore, driverAmid);
      assertShared(serverBefore, serverAmid);
      JobResult result = run.get(Runs.DEADLINE.toSeconds(), TimeUnit.SECONDS);
      assertThat(result.fingerprint()).isEqualTo(own.benchmark(MANY));
      assertThat(result.fingerprint().rows()).isEqualTo(MANY.rows());
      assertThat(figure(server, "pushed_bytes_total")).isPositive();
      assertThat(figure(server, "flushed_bytes_total")).isZero();
      assertThat(figure(server, "disk_segments")).isZero();
    }
  }

  private static JobRequest shuffles(int number) {
    return new JobRequest("tiny", number * 1000L, 4, 2, false, "", false);
  }

  private static JobResult run(SparkDriver driver) {
    try {
      return driver.run(MANY, Runs.DEADLINE);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static void assertShared(ProcessUsage before, ProcessUsage amid) {
    assertThat(amid.threads()).as("threads").isLessThan(before.threads() + OTHERS);
    assertThat(amid.openFiles()).as("files").isLessThan(before.openFiles() + OTHERS);
  }

  private static ProcessUsage usage(long pid) {
    return ProcessUsage.of(ProcessHandle.of(pid).orElseThrow()).orElseThrow();
  }

  private static double figure(LocalServer server, String name)
      throws IOException, InterruptedException {
    return server.metrics(HTTP).sum("sluice_server_" + name);
  }
}
