package io.sluice.benchmarks;

import io.sluice.benchmarks.paired.CaseReport;
import io.sluice.benchmarks.paired.Distribution;
import io.sluice.benchmarks.paired.PairedRuns;
import io.sluice.benchmarks.profile.ProfiledRun;
import io.sluice.benchmarks.profile.Profiler;
import io.sluice.cli.ExitCode;
import io.sluice.cli.compare.Pair;
import io.sluice.cli.local.Corpus;
import io.sluice.cli.local.Installation;
import io.sluice.cli.local.RunDirectory;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.report.OutputOptions;
import io.sluice.cli.spark.JobFailedException;
import io.sluice.cli.spark.JobRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A Spark job through one shuffle and through another, in turns. */
@Command(
    name = "spark",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Runs Spark jobs through Sluice and through Spark's own shuffle, in turns.",
      "Two warm drivers stand side by side; each pair of runs is one job on one and then on the other,"
          + " the first changing with every pair. Rows are made in the map tasks, on both sides, and"
          + " that is inside what is timed; 'input alone' says how much of it that is."
    })
final class SparkBench implements Callable<Integer> {
  private static final int INPUT_RUNS = 3;
  private static final int PARTITIONS_PER_MAP = 10;
  private static final int MAPS_MIN = 8;

  @Option(
      names = "--workload",
      split = ",",
      description = "any of repartition, sort, join, agg, wordcount; several with commas",
      paramLabel = "NAME")
  private List<String> workloads = List.of("repartition");

  @Option(names = "--rows", description = "input rows", paramLabel = "N")
  private long rows = 5_000_000;

  @Option(names = "--partitions", description = "reduce partitions", paramLabel = "N")
  private int partitions = 200;

  @Option(
      names = "--maps",
      description = "map tasks; by default a tenth of the partitions, at least 8",
      paramLabel = "N")
  private @Nullable Integer maps;

  @Option(
      names = "--compressible",
      description = "rows that compress well; otherwise they do not at all")
  private boolean compressible;

  @Option(
      names = "--profile",
      description = "then run each job under async-profiler; stacks go to this directory",
      paramLabel = "DIR")
  private @Nullable Path profile;

  @Mixin private final SidesOptions sides = new SidesOptions();
  @Mixin private final PairOptions pairs = new PairOptions(5);
  @Mixin private final OutputOptions output = new OutputOptions();

  @Override
  public Integer call() throws Exception {
    pairs.check();
    RunDirectory directory = RunDirectory.create("sluice-bench-", output.keep());
    try (ProcessGroup group = ProcessGroup.endedBySignals(directory::discard)) {
      Sides pair = sides.start(group, Installation.ofScripts(), directory.path());
      say(pair.description());
      boolean equal = true;
      for (String workload : workloads) {
        JobRequest request = request(workload, directory.path());
        CaseReport report = measure(pair, request);
        say(report.text());
        record(report);
        equal &= report.equal();
        if (profile != null) {
          pair.profile(new ProfiledRun(Profiler.unpackInto(directory.path()), profile), request);
          say("Profiles are in " + profile.toAbsolutePath());
        }
      }
      return equal ? ExitCode.OK : ExitCode.FAILED;
    }
  }

  private CaseReport measure(Sides pair, JobRequest request)
      throws ChildFailedException, JobFailedException, InterruptedException {
    List<Pair> measured =
        new PairedRuns(pair.candidate(), pair.baseline(), SparkBench::say)
            .run(request, pairs.warmups(), pairs.runs());
    double[] input = new double[INPUT_RUNS];
    for (int i = 0; i < INPUT_RUNS; i++) {
      input[i] = pair.baseline().measure(request.withoutShuffle()).result().seconds();
    }
    return new CaseReport(
        request,
        pair.candidate().name(),
        pair.baseline().name(),
        Distribution.of(input).median(),
        measured);
  }

  private JobRequest request(String workload, Path directory) throws IOException {
    int mapTasks = maps == null ? Math.max(MAPS_MIN, partitions / PARTITIONS_PER_MAP) : maps;
    if (workload.equals("wordcount")) {
      Corpus corpus = Corpus.writeTo(directory.resolve("text"), mapTasks);
      return new JobRequest(
          workload,
          corpus.lines(),
          partitions,
          mapTasks,
          true,
          corpus.directory().toString(),
          false);
    }
    return new JobRequest(workload, rows, partitions, mapTasks, compressible, "", false);
  }

  private void record(CaseReport report) throws IOException {
    output.append(report.json().put("master", sides.master()) + "\n");
  }

  private static void say(String line) {
    System.out.println(line);
  }
}
