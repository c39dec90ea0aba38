package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.cli.local.Installation;
import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.ServiceUsage;
import io.sluice.cli.spark.Fingerprint;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.cli.spark.SparkHome;
import io.sluice.cli.spark.SparkSettings;
import io.sluice.integration.quorum.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Real executors of Spark 3.5 for Scala 2.13 and of every line of Spark 4, through the one jar for
 * all of them. The jobs are those that other tests run on Spark 3.5 for Scala 2.12, the same class
 * files.
 */
class SparkLinesIT {
  private static final String EXECUTORS = "local-cluster[2,1,1024]";
  private static final Path ROOT = Installation.ofScripts().root();
  private static final Pattern CORE = Pattern.compile("spark-core_2\\.13-(\\d.*)\\.jar");

  private static final int ROWS = 200_000;

  @ParameterizedTest
  @CsvSource({"spark-4.2-home, 4.2.", "spark-4.0-home, 4.0.", "spark-3.5_2.13-home, 3.5."})
  void rowsAreThoseOfSparksOwnShuffle(String folder, String line) throws Exception {
    SparkHome spark = home(folder);
    assertThat(spark.version()).startsWith(line);
    assertRowsAreThoseOfSparksOwnShuffle(spark);
  }

  @ParameterizedTest
  @ValueSource(strings = {"4.1.4", "4.3.0"})
  void rowsAreThoseOfSparksOwnShuffleOnASparkOfPyPi(String version) throws Exception {
    assertRowsAreThoseOfSparksOwnShuffle(PythonSpark.orSkip(version).home());
  }

  private static void assertRowsAreThoseOfSparksOwnShuffle(SparkHome spark) throws Exception {
    try (Runs runs = new Runs("lines", spark, client())) {
      boolean same = false;
      try {
        assertSame(runs);
        same = true;
      } finally {
        if (!same) {
          runs.keep();
          System.err.println("its files are in " + runs.path());
        }
      }
    }
  }

  private static void assertSame(Runs runs) throws Exception {
    LocalCluster cluster = runs.cluster(2, "256m");
    int port = FreePorts.take(1).get(0);
    Map<String, String> ui =
        Map.of("spark.ui.enabled", "true", "spark.ui.port", Integer.toString(port));
    List<Fingerprint> through =
        jobs(
            runs, runs.through(cluster, EXECUTORS, ui), () -> assertFiguresAreRight(port, cluster));
    assertThat(cluster.usage().pushedBytes()).isGreaterThan(10 << 20);
    assertThat(through).isEqualTo(jobs(runs, runs.own(Runs.LOCAL), () -> {}));
    assertThat(through.get(0).rows()).isEqualTo(ROWS);
    assertThat(through.get(1).rows()).isEqualTo(ROWS);
  }

  /**
   * The tab's sums are those of Spark's own stages, as its REST interface has them, and those of
   * the servers to the byte: no task ran twice, there is one replica, and both count the headers of
   * blocks and nothing else of the frames that these come in.
   */
  private static void assertFiguresAreRight(int port, LocalCluster cluster) throws Exception {
    SparkPages pages = new SparkPages(port);
    SparkPages.Sums tasks = pages.awaitSameSums();
    ServiceUsage servers = cluster.usage();
    assertThat(servers.pushedBytes()).isEqualTo(tasks.bytesWritten());
    assertThat(servers.fetchedBytes()).isEqualTo(tasks.bytesRead());
    assertThat(tasks.recordsRead()).isEqualTo(tasks.recordsWritten()).isGreaterThan(2 * ROWS);
    assertThat(pages.get("/sluice/"))
        .contains("<h4>Shuffles</h4>", "href=\"/stages/\"")
        .doesNotContain("Spark&#39;s own (");
    assertThat(pages.get("/sluice/shuffle/?id=0")).contains("<h4>Partitions</h4>");
  }

  private static List<Fingerprint> jobs(Runs runs, SparkSettings settings, Check afterwards)
      throws Exception {
    List<Fingerprint> results = new ArrayList<>();
    try (SparkDriver driver = runs.benchmarkDriver(settings)) {
      for (String workload : List.of("repartition", "sort", "join", "agg", "reused")) {
        JobRequest job = new JobRequest(workload, ROWS, 12, 6, true, "", false);
        Fingerprint result = driver.run(job, Runs.DEADLINE).fingerprint();
        assertThat(result.ordered()).as(workload).isTrue();
        results.add(result);
      }
      afterwards.check();
    }
    return results;
  }

  /** Something to look at while the driver lives. */
  private interface Check {
    void check() throws Exception;
  }

  /** Only the newest is always there; {@code -Pscale} brings the others. */
  private static SparkHome home(String folder) throws IOException {
    Path jars = ROOT.resolve("benchmarks").resolve(folder).resolve("target/spark-home/jars");
    assumeTrue(
        folder.equals("spark-4.2-home") || Boolean.getBoolean("sluice.scale"), "runs with -Pscale");
    try (Stream<Path> files = Files.list(jars)) {
      Optional<Matcher> core =
          files
              .map(file -> CORE.matcher(String.valueOf(file.getFileName())))
              .filter(Matcher::matches)
              .findFirst();
      return new SparkHome(jars, core.orElseThrow().group(1), "2.13");
    }
  }

  private static Path client() throws IOException {
    try (Stream<Path> files = Files.list(ROOT.resolve("client-spark/scala-2.13/target"))) {
      return files
          .filter(file -> file.getFileName().toString().matches("sluice-client-spark_.*[^s]\\.jar"))
          .findFirst()
          .orElseThrow();
    }
  }
}
