package io.sluice.cli.local;

import io.sluice.cli.spark.JobJar;
import io.sluice.cli.spark.SparkHome;
import io.sluice.cli.spark.UnusableSparkException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where a source tree keeps what it has built. Immutable.
 *
 * @param root of the source tree
 */
public record Installation(Path root) {
  private static final String JOB_LOOP = "io.sluice.benchmarks.job.JobLoop";

  /** As the scripts in {@code bin/} tell it. */
  public static Installation ofScripts() {
    return new Installation(Path.of(System.getProperty("sluice.home", ".")).toAbsolutePath());
  }

  /** Of Sluice's own processes, as {@code bin/sluice} runs them. */
  public String classPath() {
    return root.resolve("cli/target") + "/*:" + root.resolve("cli/target/lib") + "/*";
  }

  /** The same with the HDFS tier, for servers that have one. */
  public String classPathWithHdfs() {
    Path tier = root.resolve("tier-hdfs/target");
    return classPath() + ":" + tier + "/*:" + tier.resolve("lib") + "/*";
  }

  /**
   * The Spark that was asked for, else that of {@code SPARK_HOME}, else the one from Maven.
   *
   * @throws UnusableSparkException if it is not of that line
   */
  public SparkHome sparkHome(TestedSpark spark, @Nullable Path asked)
      throws UnusableSparkException {
    Optional<SparkHome> users = usersSparkHome(spark, asked);
    return users.isPresent() ? users.get() : homeFromMaven(spark.home(), spark);
  }

  /**
   * The Spark that was asked for, else that of {@code SPARK_HOME}, else none.
   *
   * @throws UnusableSparkException if it is not of that line
   */
  public Optional<SparkHome> usersSparkHome(TestedSpark spark, @Nullable Path asked)
      throws UnusableSparkException {
    if (asked != null) {
      return Optional.of(SparkHome.at(asked, spark.line(), spark.scala()));
    }
    String environment = System.getenv("SPARK_HOME");
    return environment == null || environment.isBlank()
        ? Optional.empty()
        : Optional.of(SparkHome.at(Path.of(environment), spark.line(), spark.scala()));
  }

  /** The benchmark workloads. */
  public JobJar jobs() throws IOException {
    return new JobJar(
        JOB_LOOP,
        jar("benchmarks/target", "sluice-benchmarks-"),
        List.of(jar("cli/target", "sluice-cli-")));
  }

  /** A Spark with its own test suites, and all that those need. */
  public SparkHome suitesHome(TestedSpark spark) throws UnusableSparkException {
    return homeFromMaven(spark.suites() + "-home", spark);
  }

  private SparkHome homeFromMaven(String module, TestedSpark spark) throws UnusableSparkException {
    Path home = root.resolve("benchmarks").resolve(module).resolve("target/spark-home");
    return SparkHome.at(home, spark.line(), spark.scala());
  }

  /** What runs inside such a Spark, beside its suites and its queries. */
  public Path suites(TestedSpark spark) throws IOException {
    return jar(
        "benchmarks/" + spark.suites() + "/target", "sluice-benchmarks-" + spark.suites() + "-");
  }

  /** The jar that a Spark of that line needs to shuffle through Sluice. */
  public Path sparkClient(TestedSpark spark) throws IOException {
    return jar(spark.clientModule() + "/target", spark.clientJar());
  }

  /** The jar that MapReduce jobs need to shuffle through Sluice. */
  public Path mapReduceClient() throws IOException {
    return jar("client-mr/target", "sluice-client-mr-");
  }

  /** MapReduce jobs to try a shuffle with, and Hadoop's own processes. */
  public Path hadoopJobs() throws IOException {
    return jar("benchmarks/mapreduce/target", "sluice-benchmarks-mapreduce-");
  }

  /** The folder of Hadoop's libraries. */
  public Path hadoopLibraries() {
    return root.resolve("benchmarks/hadoop-home/target/lib");
  }

  private Path jar(String directory, String prefix) throws IOException {
    try (Stream<Path> files = Files.list(root.resolve(directory))) {
      return files
          .filter(file -> isArtifact(String.valueOf(file.getFileName()), prefix))
          .findFirst()
          .orElseThrow(
              () -> new IOException("no " + prefix + "*.jar in " + root.resolve(directory)));
    }
  }

  private static boolean isArtifact(String file, String prefix) {
    return file.startsWith(prefix)
        && file.endsWith(".jar")
        && !file.endsWith("-tests.jar")
        && !file.endsWith("-sources.jar");
  }
}
