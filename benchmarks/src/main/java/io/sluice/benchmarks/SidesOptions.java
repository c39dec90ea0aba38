package io.sluice.benchmarks;

import io.sluice.cli.compare.ShuffleSide;
import io.sluice.cli.local.Installation;
import io.sluice.cli.local.ServiceUsage;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.cli.spark.SparkHome;
import io.sluice.cli.spark.SparkSettings;
import io.sluice.cli.spark.UnusableSparkException;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which two shuffles are compared, and on what. */
final class SidesOptions {
  /** A shuffle that can be a side. */
  enum Shuffle {
    /** Spark's own, on local disks. */
    sort
  }

  @Option(names = "--against", description = "the baseline: ${COMPLETION-CANDIDATES}")
  private Shuffle against = Shuffle.sort;

  @Option(
      names = "--candidate",
      description = "what is measured; 'sort' against 'sort' measures the harness itself")
  private Shuffle candidate = Shuffle.sort;

  @Option(names = "--master", description = "local[N], or local-cluster[executors,cores,MiB]")
  private String master = "local[2]";

  @Option(names = "--heap", description = "heap of each driver")
  private String heap = "2g";

  @Option(names = "--spark-home", description = "a Spark 3.5; else $SPARK_HOME, else Maven's")
  private @Nullable Path sparkHome;

  String master() {
    return master;
  }

  /** Starts both sides; they end with the group. */
  Sides start(ProcessGroup group, Installation installation, Path directory)
      throws IOException, UnusableSparkException, ChildFailedException, InterruptedException {
    SparkHome spark = installation.sparkHome(sparkHome);
    SparkSettings own = SparkSettings.sparkOwn(master, heap);
    Path first = directory.resolve("candidate-" + candidate);
    Path second = directory.resolve("baseline-" + against);
    return new Sides(
        new ShuffleSide(
            candidate.name(),
            SparkDriver.start(group, spark, own, installation.jobs(), first),
            () -> ServiceUsage.NONE),
        new ShuffleSide(
            against.name(),
            SparkDriver.start(group, spark, own, installation.jobs(), second),
            () -> ServiceUsage.NONE),
        spark.version(),
        own);
  }
}
