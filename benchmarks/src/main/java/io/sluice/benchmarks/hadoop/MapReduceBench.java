package io.sluice.benchmarks.hadoop;

import io.sluice.benchmarks.Arguments;
import io.sluice.benchmarks.PairOptions;
import io.sluice.benchmarks.paired.Distribution;
import io.sluice.cli.CommandFailedException;
import io.sluice.cli.ExitCode;
import io.sluice.cli.local.Installation;
import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.LocalClusterSettings;
import io.sluice.cli.local.RunDirectory;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.report.JsonObject;
import io.sluice.cli.report.OutputOptions;
import io.sluice.cli.spark.JobFailedException;
import io.sluice.common.config.DataSize;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A MapReduce job through Sluice and through Hadoop's own shuffle, in turns. */
@Command(
    name = "mapreduce",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Runs MapReduce jobs through Sluice and through Hadoop's own shuffle, in turns.",
      "One HDFS and YARN of this machine starts a process for each task of both sides; the first"
          + " side changes with every pair. What is timed is a whole job, with the start of its"
          + " application master and of all tasks. terasort is Hadoop's own example, from files in"
          + " HDFS to files in HDFS; maps of the others make their rows themselves, on both sides."
    })
public final class MapReduceBench implements Callable<Integer> {
  private static final Duration DEADLINE = Duration.ofMinutes(10);

  /** Bytes of a row of terasort. */
  private static final long SORT_ROW = 100;

  /** Bytes of ten words and what is between them. */
  private static final long TEXT_ROW = 100;

  /** So that one run does not find the servers full of the one before. */
  private static final Map<String, String> JOB_END =
      Map.of(
          "mapreduce.job.end-notification.url",
          "http://sluice/$jobId",
          "mapreduce.job.end-notification.custom-notifier-class",
          "io.sluice.mapreduce.SluiceJobEnd");

  @Option(
      names = "--workload",
      split = ",",
      description = "any of terasort, sort, wordcount, secondary; several with commas",
      paramLabel = "NAME")
  private List<String> workloads = List.of("terasort");

  @Option(names = "--against", description = "what it is compared to: hadoop", paramLabel = "NAME")
  private String against = "hadoop";

  @Option(names = "--size", description = "bytes that the maps make", paramLabel = "SIZE")
  private String size = "1g";

  @Option(names = "--maps", description = "map tasks", paramLabel = "N")
  private int maps = 8;

  @Option(names = "--reduces", description = "reduce tasks", paramLabel = "N")
  private int reduces = 4;

  @Option(names = "--servers", description = "shuffle servers", paramLabel = "N")
  private int servers = 2;

  @Option(names = "--server-memory", description = "budget of each", paramLabel = "SIZE")
  private String serverMemory = "1g";

  @Mixin private final PairOptions pairs = new PairOptions(3);
  @Mixin private final OutputOptions output = new OutputOptions();

  /** Seconds of one run of both sides. */
  private record Seconds(double sluice, double hadoop) {
    double ratio() {
      return sluice / hadoop;
    }
  }

  @Override
  public Integer call() throws Exception {
    pairs.check();
    Arguments.atLeast(1, "--maps", maps);
    Arguments.atLeast(1, "--reduces", reduces);
    if (!against.equals("hadoop")) {
      throw new CommandFailedException(ExitCode.USAGE, "--against " + against + ": only hadoop");
    }
    Installation installation = Installation.ofScripts();
    RunDirectory directory = RunDirectory.create("sluice-bench-", output.keep());
    try (ProcessGroup group = ProcessGroup.endedBySignals(directory::discard)) {
      LocalCluster cluster =
          LocalCluster.start(
              group,
              new LocalClusterSettings(
                  servers, DataSize.parse(serverMemory), Map.of(), installation.classPath()),
              Files.createDirectory(directory.path().resolve("cluster")));
      HadoopProcess hadoop =
          HadoopProcess.start(
              group,
              installation,
              HadoopProcess.Framework.YARN,
              List.of(),
              directory.path().resolve("hadoop"));
      for (String workload : workloads) {
        HadoopJob own = job(workload);
        HadoopJob through =
            own.through(cluster.coordinatorAddress(), installation.mapReduceClient()).with(JOB_END);
        measure(hadoop, workload, own, through);
      }
    }
    return ExitCode.OK;
  }

  private HadoopJob job(String workload) {
    long bytes = DataSize.parse(size).toBytes();
    long rows = bytes / (workload.equals("wordcount") ? TEXT_ROW : SORT_ROW);
    return new HadoopJob(workload, maps, reduces, rows);
  }

  private void measure(HadoopProcess hadoop, String workload, HadoopJob own, HadoopJob through)
      throws Exception {
    List<Seconds> measured = new ArrayList<>();
    for (int i = -pairs.warmups(); i < pairs.runs(); i++) {
      Seconds pair = pair(hadoop, own, through, i % 2 == 0);
      System.out.printf(
          Locale.ROOT,
          "%s: %s: Sluice %.1f s, Hadoop %.1f s, ratio %.2f%n",
          workload,
          i < 0 ? "warming up" : "pair " + (i + 1) + " of " + pairs.runs(),
          pair.sluice(),
          pair.hadoop(),
          pair.ratio());
      if (i >= 0) {
        measured.add(pair);
      }
    }
    Distribution ratio = Distribution.of(measured, Seconds::ratio);
    System.out.printf(
        Locale.ROOT,
        "%s, %,d rows, %d maps, %d reduces: wall %s, results equal%n",
        workload,
        own.rows(),
        maps,
        reduces,
        ratio);
    output.append(
        new JsonObject()
                .put("workload", workload)
                .put("rows", own.rows())
                .put("maps", maps)
                .put("partitions", reduces)
                .put("candidate", "sluice")
                .put("baseline", "hadoop")
                .put("pairs", measured.size())
                .put("sluice_s", Distribution.of(measured, Seconds::sluice).median())
                .put("baseline_s", Distribution.of(measured, Seconds::hadoop).median())
                .put("ratio_wall", ratio.median())
                .put("ratio_wall_min", ratio.min())
                .put("ratio_wall_max", ratio.max())
                .put("equal", true)
            + "\n");
  }

  /** Fails if the two have not written the same. */
  private static Seconds pair(
      HadoopProcess hadoop, HadoopJob own, HadoopJob through, boolean ownFirst)
      throws ChildFailedException, JobFailedException, InterruptedException {
    HadoopResult first = hadoop.run(ownFirst ? own : through, DEADLINE);
    HadoopResult second = hadoop.run(ownFirst ? through : own, DEADLINE);
    if (!first.digest().equals(second.digest())) {
      throw new JobFailedException("results differ: " + first + ", " + second);
    }
    HadoopResult sluice = ownFirst ? second : first;
    HadoopResult baseline = ownFirst ? first : second;
    return new Seconds(sluice.millis() / 1e3, baseline.millis() / 1e3);
  }
}
