package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.LocalServer;
import io.sluice.cli.process.ProcessUsage;
import io.sluice.cli.spark.Fields;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.JobResult;
import java.io.IOException;
import java.net.http.HttpClient;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * 200 maps x 2,000 partitions, partly spilled: exact rows, and servers whose files and threads do
 * not grow with the number of partitions, maps or blocks.
 */
@ExtendWith(OwnShuffle.Extension.class)
class ManyPartitionsIT {
  private static final int MAPS = 200;
  private static final int PARTITIONS = 2_000;

  /** Six for each block, so that hardly any map has none for a partition. */
  private static final int ROWS = MAPS * PARTITIONS * 6;

  private static final long BLOCKS_MIN = MAPS * PARTITIONS / 100 * 99;

  private static final JobRequest REQUEST =
      new JobRequest("repartition", ROWS, PARTITIONS, MAPS, false, "", false);

  /** The same rows: their fingerprint does not depend on the partitions they go through. */
  private static final JobRequest FEWER_PARTITIONS =
      new JobRequest("repartition", ROWS, 8, 8, false, "", false);

  private static final int FILES_BELOW = 200;
  private static final int THREADS_BELOW = 64;

  private static @Nullable Runs shared;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  @BeforeAll
  static void start() throws Exception {
    shared = new Runs("partitions");
  }

  @AfterAll
  static void stop() {
    if (shared != null) {
      shared.close();
    }
  }

  @Test
  void filesAndThreadsOfServersDoNotGrowWithTheShuffle(OwnShuffle own) throws Exception {
    Runs runs = Objects.requireNonNull(shared);
    LocalCluster cluster = runs.cluster(2, "256m");
    String pids =
        cluster.servers().stream()
            .map(server -> Long.toString(server.process().pid()))
            .collect(Collectors.joining(","));

    JobResult through =
        runs.faultJob(
            runs.through(cluster, Runs.LOCAL, Map.of("spark.faults.census.pids", pids)), REQUEST);

    List<Fields> census = census(runs);
    assertThat(census.stream().filter(count -> isOf(count, "MAP"))).hasSize(MAPS * 2);
    assertThat(census.stream().filter(count -> isOf(count, "REDUCE"))).hasSize(PARTITIONS * 2);
    assertBounded(most(census, "files"), most(census, "threads"));
    assertThat(census).allSatisfy(count -> assertThat(count.number("threads")).isPositive());
    double blocks = 0;
    for (LocalServer server : cluster.servers()) {
      ProcessUsage after = server.usage();
      assertBounded(after.openFiles(), after.threads());
      blocks += server.metrics(HttpClient.newHttpClient()).sum("sluice_server_pushed_blocks_total");
    }
    assertThat(blocks).isGreaterThan(BLOCKS_MIN);
    assertThat(cluster.usage().spilledBytes()).isPositive();
    assertThat(cluster.usage().spilledBytes()).isLessThan(cluster.usage().pushedBytes());
    assertThat(through.fingerprint()).isEqualTo(own.faultJob(FEWER_PARTITIONS));
    assertThat(through.fingerprint().rows()).isEqualTo(ROWS);
  }

  private static void assertBounded(long files, long threads) {
    assertThat(files).as("open files").isPositive().isLessThan(FILES_BELOW);
    assertThat(threads).as("threads").isPositive().isLessThan(THREADS_BELOW);
  }

  private static long most(List<Fields> census, String of) {
    return census.stream().mapToLong(count -> count.number(of)).max().orElse(0);
  }

  private static boolean isOf(Fields count, String side) {
    return count.text("side").equals(side);
  }

  private static List<Fields> census(Runs runs) throws IOException {
    String prefix = "census ";
    return runs.lastLog()
        .lines()
        .filter(line -> line.startsWith(prefix))
        .map(line -> Fields.parse(line.substring(prefix.length())))
        .toList();
  }
}
