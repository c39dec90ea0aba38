package io.sluice.cli.quickstart;

import io.sluice.cli.compare.Measurement;
import io.sluice.cli.compare.Pair;
import io.sluice.cli.compare.ShuffleSide;
import io.sluice.cli.local.Installation;
import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.LocalServer;
import io.sluice.cli.local.ServiceUsage;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.report.Progress;
import io.sluice.cli.spark.JobFailedException;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.cli.spark.SparkHome;
import io.sluice.cli.spark.SparkSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/** One quickstart from start to summary. What it starts belongs to the group. */
final class Quickstart {
  private final QuickstartOptions options;
  private final Installation installation;
  private final ProcessGroup group;
  private final Path directory;
  private final Progress progress;

  Quickstart(
      QuickstartOptions options,
      Installation installation,
      ProcessGroup group,
      Path directory,
      Progress progress) {
    this.options = options;
    this.installation = installation;
    this.group = group;
    this.directory = directory;
    this.progress = progress;
  }

  static int steps(QuickstartOptions options) {
    return 3 + 2 * options.workloads().size();
  }

  Summary run(SparkHome spark)
      throws IOException, ChildFailedException, JobFailedException, InterruptedException {
    List<JobRequest> requests = options.requests(directory);
    progress.step("starting a coordinator and " + options.cluster().servers() + " shuffle servers");
    LocalCluster cluster = LocalCluster.start(group, options.cluster(), directory);
    progress.say("Coordinator " + cluster.coordinatorAddress() + ", metrics and health:");
    progress.say("  http://" + cluster.coordinatorHttp() + "/metrics");
    for (LocalServer server : cluster.servers()) {
      progress.say("  http://" + server.announcement().http() + "/metrics");
    }
    SparkSettings through =
        cluster.spark(
            options.master(), options.heap().toString(), installation.sparkClient(options.spark()));
    List<Measurement> sluice = measure("sluice", spark, through, cluster::usage, requests);
    List<ServerPeak> peaks = cluster.servers().stream().map(ServerPeak::of).toList();
    SparkSettings own = SparkSettings.sparkOwn(options.master(), options.heap().toString());
    List<Measurement> baseline = measure("sort", spark, own, () -> ServiceUsage.NONE, requests);
    List<Summary.Case> cases = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      cases.add(new Summary.Case(requests.get(i), new Pair(sluice.get(i), baseline.get(i))));
    }
    return new Summary(spark.version(), options.serverMemory(), cases, peaks);
  }

  private List<Measurement> measure(
      String name,
      SparkHome spark,
      SparkSettings settings,
      Supplier<ServiceUsage> service,
      List<JobRequest> requests)
      throws IOException, ChildFailedException, JobFailedException, InterruptedException {
    String shuffle = name.equals("sort") ? "Spark's own shuffle" : "Sluice";
    progress.step("starting Spark " + spark.version() + " with " + shuffle);
    List<Measurement> measured = new ArrayList<>();
    try (SparkDriver driver =
        SparkDriver.start(
            group, spark, settings, installation.jobs(), directory.resolve("spark-" + name))) {
      ShuffleSide side = new ShuffleSide(name, driver, service);
      for (JobRequest request : requests) {
        progress.step(
            String.format(
                Locale.ROOT,
                "%s of %,d rows through %s",
                request.workload(),
                request.rows(),
                shuffle));
        measured.add(side.measure(request));
      }
    }
    return measured;
  }
}
