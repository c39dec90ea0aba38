package io.sluice.benchmarks;

import io.sluice.cli.DataSizeConverter;
import io.sluice.cli.MasterConverter;
import io.sluice.cli.local.Installation;
import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.LocalClusterSettings;
import io.sluice.cli.local.TestedSparkOption;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.spark.SparkHome;
import io.sluice.cli.spark.SparkSettings;
import io.sluice.cli.spark.UnusableSparkException;
import io.sluice.common.config.DataSize;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which two shuffles are compared, and on what. */
final class SidesOptions {
  @Option(
      names = "--against",
      description = "the baseline: ${COMPLETION-CANDIDATES}",
      paramLabel = "SHUFFLE")
  private Shuffle against = Shuffle.sort;

  @Option(
      names = "--candidate",
      description = "what is measured; 'sort' against 'sort' measures the harness itself",
      paramLabel = "SHUFFLE")
  private Shuffle candidate = Shuffle.sluice;

  @Option(
      names = "--master",
      description = "local[N], or local-cluster[executors,cores,MiB]",
      converter = MasterConverter.class,
      paramLabel = "MASTER")
  private String master = "local[2]";

  @Option(names = "--heap", description = "heap of each driver", paramLabel = "SIZE")
  private String heap = "2g";

  @Option(names = "--conf", description = "a Spark property, for both", paramLabel = "KEY=VALUE")
  private final Map<String, String> properties = new LinkedHashMap<>();

  @Option(
      names = "--spark-home",
      description = "a Spark of that line; else $SPARK_HOME, else Maven's",
      paramLabel = "DIR")
  private @Nullable Path sparkHome;

  @Mixin private final TestedSparkOption tested = new TestedSparkOption();

  @Option(names = "--servers", description = "shuffle servers", paramLabel = "N")
  private int servers = 2;

  @Option(
      names = "--server-memory",
      description = "memory budget of each server's process",
      converter = DataSizeConverter.class,
      paramLabel = "SIZE")
  private DataSize serverMemory = DataSize.parse("2g");

  @Option(
      names = "--server-set",
      description = "a setting of every server",
      paramLabel = "KEY=VALUE")
  private final Map<String, String> serverProperties = new LinkedHashMap<>();

  String master() {
    return master;
  }

  /** Starts both sides; they end with the group. */
  Sides start(ProcessGroup group, Installation installation, Path directory)
      throws IOException, UnusableSparkException, ChildFailedException, InterruptedException {
    SparkHome spark = installation.sparkHome(tested.spark(), sparkHome);
    SparkSettings own = SparkSettings.sparkOwn(master, heap).with(properties);
    Optional<LocalCluster> cluster = Optional.empty();
    if (candidate == Shuffle.sluice || against == Shuffle.sluice) {
      LocalClusterSettings settings =
          new LocalClusterSettings(servers, serverMemory, serverProperties);
      cluster = Optional.of(LocalCluster.start(group, settings, directory));
    }
    SideStarter starter =
        new SideStarter(
            group,
            spark,
            installation.jobs(),
            installation.sparkClient(tested.spark()),
            own,
            cluster);
    return new Sides(
        starter.start(candidate, directory.resolve("candidate-" + candidate)),
        starter.start(against, directory.resolve("baseline-" + against)),
        cluster,
        serverMemory,
        description(spark, own, cluster));
  }

  private String description(SparkHome spark, SparkSettings own, Optional<LocalCluster> cluster) {
    String sluice =
        cluster
            .map(
                c ->
                    "; " + servers + " shuffle servers of " + serverMemory + " " + serverProperties)
            .orElse("");
    return String.format(
        Locale.ROOT,
        "Spark %s, Java %s, %d processors, master %s%s%nnot Spark's default: %s",
        spark.version(),
        Runtime.version(),
        Runtime.getRuntime().availableProcessors(),
        master,
        sluice,
        own.effective());
  }
}
