package io.sluice.benchmarks;

import io.sluice.cli.compare.ShuffleSide;
import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.ServiceUsage;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.spark.JobJar;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.cli.spark.SparkHome;
import io.sluice.cli.spark.SparkSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Starts drivers that differ in their shuffle and in nothing else.
 *
 * @param client the jar with which that Spark shuffles through Sluice
 * @param own settings of a driver with Spark's own shuffle
 * @param cluster there if any side is Sluice
 */
record SideStarter(
    ProcessGroup group,
    SparkHome spark,
    JobJar jobs,
    Path client,
    SparkSettings own,
    Optional<LocalCluster> cluster) {

  ShuffleSide start(Shuffle shuffle, Path directory)
      throws IOException, ChildFailedException, InterruptedException {
    return switch (shuffle) {
      case sort -> new ShuffleSide("sort", driver(own, directory), () -> ServiceUsage.NONE);
      case sluice -> {
        LocalCluster service = cluster.orElseThrow();
        SparkSettings through =
            service.spark(own.master(), own.heap(), client).with(own.properties());
        yield new ShuffleSide("sluice", driver(through, directory), service::usage);
      }
    };
  }

  private SparkDriver driver(SparkSettings settings, Path directory)
      throws IOException, ChildFailedException, InterruptedException {
    return SparkDriver.start(group, spark, settings, jobs, directory);
  }
}
