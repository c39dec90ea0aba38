package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.Installation;
import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.TestedSpark;
import io.sluice.cli.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A PySpark that {@code pip} installed, with what the README tells its user to write: joins,
 * aggregates, a Python function and RDDs of Python objects have the rows of Spark's own shuffle.
 */
class PySparkIT {
  private static final String EXECUTORS = "local-cluster[2,1,1024]";
  private static final String EXECUTOR_CLASS_PATH = "spark.executor.extraClassPath";
  private static final Duration DEADLINE = Duration.ofMinutes(6);
  private static final long PUSHED_MIN = 1 << 20;

  /** The newest of each line: what {@code pip} takes of itself is the last. */
  @ParameterizedTest
  @ValueSource(strings = {"3.5.9", "4.0.5", "4.1.4", "4.2.1", "4.3.0"})
  void rowsAreThoseOfSparksOwnShuffle(String version) throws Exception {
    PythonSpark python = PythonSpark.orSkip(version);
    boolean oldest = version.startsWith("3.");
    String jar = jar(oldest ? TestedSpark.SPARK_35 : TestedSpark.SPARK_42);
    try (Runs runs = new Runs("pyspark")) {
      boolean same = false;
      try {
        Path own = rows(runs, python, "own", Runs.LOCAL, Map.of());
        LocalCluster cluster = runs.cluster(2, "256m");
        Map<String, String> settings = new HashMap<>(through(cluster));
        settings.put("spark.jars", jar);
        Map<String, String> everywhere = new HashMap<>(settings);
        if (oldest) {
          assertExecutorsWithoutJarAreRefused(runs, python, settings);
          everywhere.put(EXECUTOR_CLASS_PATH, jar);
        }
        Path local = rows(runs, python, "local", Runs.LOCAL, settings);
        long pushed = cluster.usage().pushedBytes();
        assertThat(pushed).isGreaterThan(PUSHED_MIN);
        Path executors = rows(runs, python, "executors", EXECUTORS, everywhere);
        assertThat(cluster.usage().pushedBytes() - pushed).isGreaterThan(PUSHED_MIN);
        assertThat(local).hasSameTextualContentAs(own);
        assertThat(executors).hasSameTextualContentAs(own);
        same = true;
      } finally {
        keepUnless(same, runs);
      }
    }
  }

  /** From a repository that is asked last, as the README's link says how to make one. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"3.5.9 | " + Runs.LOCAL, "4.2.1 | " + EXECUTORS})
  void theJarMayBeAPackageOfARepository(String version, String master) throws Exception {
    PythonSpark python = PythonSpark.orSkip(version);
    TestedSpark line = version.startsWith("3.") ? TestedSpark.SPARK_35 : TestedSpark.SPARK_42;
    try (Runs runs = new Runs("packages")) {
      boolean same = false;
      try {
        Path own = rows(runs, python, "own", Runs.LOCAL, Map.of());
        LocalCluster cluster = runs.cluster(2, "256m");
        ClientRepository repository =
            ClientRepository.make(runs.path().resolve("repository"), Path.of(jar(line)));
        Map<String, String> settings = new HashMap<>(through(cluster));
        settings.put("spark.jars.packages", repository.coordinates());
        settings.put("spark.jars.repositories", repository.url());
        // Where Ivy puts what it finds; by default into the user's home.
        settings.put("spark.jars.ivy", runs.path().resolve("ivy").toString());
        Path through = rows(runs, python, "through", master, settings);
        assertThat(cluster.usage().pushedBytes()).isGreaterThan(PUSHED_MIN);
        assertThat(through).hasSameTextualContentAs(own);
        same = true;
      } finally {
        keepUnless(same, runs);
      }
    }
  }

  /** The server of 3.5 is not in its PyPI package. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"4.2.1 | " + Runs.LOCAL, "4.2.1 | " + EXECUTORS, "4.3.0 | " + Runs.LOCAL})
  void aConnectServerShufflesThroughSluice(String version, String master) throws Exception {
    PythonSpark python = PythonSpark.withConnectOrSkip(version);
    try (Runs runs = new Runs("connect")) {
      boolean same = false;
      try {
        Path own = runs.path().resolve("own.json");
        end(runs.python(python, "own", own, Map.of("remote", Runs.LOCAL)));
        LocalCluster cluster = runs.cluster(2, "256m");
        Path through = runs.path().resolve("through.json");
        Map<String, String> settings = new HashMap<>(through(cluster));
        settings.put("remote", master);
        settings.put("spark.jars", jar(TestedSpark.SPARK_42));
        end(runs.python(python, "through", through, settings));
        assertThat(cluster.usage().pushedBytes()).isGreaterThan(PUSHED_MIN);
        assertThat(through).hasSameTextualContentAs(own);
        same = true;
      } finally {
        keepUnless(same, runs);
      }
    }
  }

  /** The two settings that every session needs. */
  private static Map<String, String> through(LocalCluster cluster) {
    return Map.of(
        "spark.shuffle.manager",
        "org.apache.spark.shuffle.sluice.SluiceShuffleManager",
        "spark.sluice.coordinator.quorum",
        cluster.coordinatorAddress());
  }

  private static String jar(TestedSpark line) throws IOException {
    return Installation.ofScripts().sparkClient(line).toString();
  }

  /** Without a word from the driver such a job would wait for executors for ever. */
  private static void assertExecutorsWithoutJarAreRefused(
      Runs runs, PythonSpark python, Map<String, String> settings) throws Exception {
    Map<String, String> all = new HashMap<>(settings);
    all.put("spark.master", EXECUTORS);
    Path none = runs.path().resolve("none.json");
    ChildProcess program = runs.python(python, "refused", none, all);
    assertThat(program.awaitEnd(DEADLINE)).hasValue(1);
    assertThat(Files.readString(runs.path().resolve("refused/log")))
        .contains("INVALID_CONFIGURATION")
        .contains("set " + EXECUTOR_CLASS_PATH + " to the path that the jar");
    assertThat(none).doesNotExist();
  }

  private static Path rows(
      Runs runs, PythonSpark python, String name, String master, Map<String, String> settings)
      throws Exception {
    Map<String, String> all = new HashMap<>(settings);
    all.put("spark.master", master);
    all.put("spark.ui.enabled", "false");
    Path rows = runs.path().resolve(name + ".json");
    end(runs.python(python, name, rows, all));
    return rows;
  }

  private static void end(ChildProcess program) throws Exception {
    String announced = program.awaitAnnouncement(DEADLINE);
    assertThat(Integer.parseInt(announced.substring("@rows ".length()))).isGreaterThan(10_000);
    assertThat(program.awaitEnd(DEADLINE)).hasValue(0);
  }

  private static void keepUnless(boolean same, Runs runs) {
    if (!same) {
      runs.keep();
      System.err.println("its files are in " + runs.path());
    }
  }
}
