package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.LocalServer;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.JobResult;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.integration.quorum.Until;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Hundreds of small shuffles in one application, many of them alive at a time: exact rows, no
 * thread and no connection for any of them, one fetch for each reduce task, and nothing on disk.
 */
@ExtendWith(OwnShuffle.Extension.class)
class SmallShufflesIT {
  /** So many at a time, or there would be nothing to see. */
  private static final int ALIVE = 60;

  /** Compilers and pools come and go. */
  private static final int OTHERS = ALIVE / 4;

  private static final int SHUFFLES = 200;
  private static final int PARTITIONS = 4;
  private static final JobRequest WARM = shuffles(20);
  private static final JobRequest MANY = shuffles(SHUFFLES);
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
    try (SparkDriver driver = runs.faultDriver(runs.through(cluster, Runs.LOCAL, Map.of()))) {
      driver.run(WARM, Runs.DEADLINE);
      List<Census> before = census(driver, server);
      double fetches = figure(server, "fetches_total");
      CompletableFuture<JobResult> run = CompletableFuture.supplyAsync(() -> run(driver));
      List<Census> amid = new ArrayList<>();
      Until.holds(
          "so many shuffles are alive at a time: " + ALIVE,
          () -> {
            if (run.isDone()) {
              throw new AssertionError("never " + ALIVE + " at a time in " + run.get());
            }
            if (figure(server, "shuffles") < ALIVE) {
              return false;
            }
            return amid.addAll(census(driver, server));
          });
      assertShared(before.get(0), amid.get(0));
      assertShared(before.get(1), amid.get(1));
      JobResult result = run.get(Runs.DEADLINE.toSeconds(), TimeUnit.SECONDS);
      assertThat(result.fingerprint()).isEqualTo(own.faultJob(MANY));
      assertThat(result.fingerprint().rows()).isEqualTo(MANY.rows());
      assertThat(figure(server, "fetches_total") - fetches)
          .as("one for each reduce task, whatever maps it reads of")
          .isBetween(1.0, (double) SHUFFLES * PARTITIONS);
      assertThat(figure(server, "pushed_bytes_total")).isPositive();
      assertThat(figure(server, "flushed_bytes_total")).isZero();
      assertThat(figure(server, "disk_segments")).isZero();
    }
  }

  private static JobRequest shuffles(int number) {
    return new JobRequest("small shuffles", number * 1000L, PARTITIONS, 2, false, "", false);
  }

  private static JobResult run(SparkDriver driver) {
    try {
      return driver.run(MANY, Runs.DEADLINE);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static void assertShared(Census before, Census amid) {
    assertThat(amid.threads()).as("threads").isLessThan(before.threads() + OTHERS);
    assertThat(amid.connections()).as("connections").isLessThan(before.connections() + OTHERS);
  }

  /** Of the client and of a server; Spark's own threads in the driver are no concern of ours. */
  private static List<Census> census(SparkDriver driver, LocalServer server) throws IOException {
    Predicate<String> ofClient = name -> name.startsWith("sluice") || name.startsWith("grpc");
    return List.of(
        Census.of(driver.pid(), ofClient), Census.of(server.process().pid(), name -> true));
  }

  /** What a process has at a time. */
  private record Census(long threads, long connections) {
    static Census of(long pid, Predicate<String> whose) throws IOException {
      Path proc = Path.of("/proc", Long.toString(pid));
      return new Census(
          count(proc.resolve("task"), task -> Files.readString(task.resolve("comm")), whose),
          count(
              proc.resolve("fd"),
              handle -> Files.readSymbolicLink(handle).toString(),
              target -> target.startsWith("socket:")));
    }

    private static long count(Path folder, Name name, Predicate<String> which) throws IOException {
      long count = 0;
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
        for (Path entry : entries) {
          try {
            count += which.test(name.of(entry)) ? 1 : 0;
          } catch (IOException ended) {
            // Between the two looks.
          }
        }
      }
      assertThat(count).as("of %s", folder).isPositive();
      return count;
    }
  }

  /** How something in {@code /proc} is called. */
  private interface Name {
    String of(Path entry) throws IOException;
  }

  private static double figure(LocalServer server, String name)
      throws IOException, InterruptedException {
    return server.metrics(HTTP).sum("sluice_server_" + name);
  }
}
