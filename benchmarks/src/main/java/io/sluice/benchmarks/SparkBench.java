package io.sluice.benchmarks;

import io.sluice.benchmarks.paired.CaseReport;
import io.sluice.benchmarks.paired.CasesSummary;
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
import io.sluice.cli.report.JsonObject;
import io.sluice.cli.report.OutputOptions;
import io.sluice.cli.spark.JobFailedException;
import io.sluice.cli.spark.JobRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
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
      description =
          "any of repartition, sort, join, agg, reduce, skew, tiny, wordcount; several with commas",
      paramLabel = "NAME")
  private List<String> workloads = List.of("repartition");

  @Option(
      names = "--rows",
      split = ",",
      description = "input rows; several with commas",
      paramLabel = "N")
  private List<Long> rows = List.of(5_000_000L);

  @Option(
      names = "--partitions",
      split = ",",
      description = "reduce partitions; several with commas",
      paramLabel = "N")
  private List<Integer> partitions = List.of(200);

  @Option(
      names = "--maps",
      description = "map tasks; by default a tenth of the partitions, at least 8",
      paramLabel = "N")
  private @Nullable Integer maps;

  @Option(
      names = "--compressible",
      arity = "0..1",
      fallbackValue = "yes",
      description = {
        "rows that compress well; otherwise they do not at all; 'both' has each in its turn",
        "one of: ${COMPLETION-CANDIDATES}"
      },
      paramLabel = "WHICH")
  private Compressible compressible = Compressible.no;

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
    check();
    RunDirectory directory = RunDirectory.create("sluice-bench-", output.keep());
    try (ProcessGroup group = ProcessGroup.endedBySignals(directory::discard)) {
      Sides pair = sides.start(group, Installation.ofScripts(), directory.path());
      say(pair.description());
      List<CaseReport> reports = new ArrayList<>();
      for (JobRequest request : requests(directory.path())) {
        CaseReport report = measure(pair, request);
        say(report.text());
        record(report.json());
        reports.add(report);
        if (profile != null) {
          pair.profile(new ProfiledRun(Profiler.unpackInto(directory.path()), profile), request);
          say("Profiles are in " + profile.toAbsolutePath());
        }
      }
      CasesSummary summary = new CasesSummary(reports);
      say(summary.text() + pair.servers());
      record(summary.json());
      return summary.equal() ? ExitCode.OK : ExitCode.FAILED;
    }
  }

  private void check() {
    pairs.check();
    rows.forEach(count -> Arguments.atLeast(1, "--rows", count));
    partitions.forEach(count -> Arguments.atLeast(1, "--partitions", count));
  }

  /** Every workload over every number of rows and of partitions, and kind of rows. */
  private List<JobRequest> requests(Path directory) throws IOException {
    List<JobRequest> requests = new ArrayList<>();
    for (long input : rows) {
      for (int count : partitions) {
        for (boolean compresses : compressible.kinds()) {
          for (String workload : workloads) {
            requests.add(request(workload, input, count, compresses, directory));
          }
        }
      }
    }
    return requests;
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

  private JobRequest request(
      String workload, long input, int count, boolean compresses, Path directory)
      throws IOException {
    int mapTasks = maps == null ? Math.max(MAPS_MIN, count / PARTITIONS_PER_MAP) : maps;
    if (workload.equals("wordcount")) {
      Corpus corpus = Corpus.writeTo(directory.resolve("text-" + mapTasks), mapTasks);
      String text = corpus.directory().toString();
      return new JobRequest(workload, corpus.lines(), count, mapTasks, true, text, false);
    }
    return new JobRequest(workload, input, count, mapTasks, compresses, "", false);
  }

  private void record(JsonObject object) throws IOException {
    output.append(object.put("master", sides.master()) + "\n");
  }

  private static void say(String line) {
    System.out.println(line);
  }

  /** Kinds of rows, as picocli prints them. */
  private enum Compressible {
    no,
    yes,
    both;

    List<Boolean> kinds() {
      return switch (this) {
        case no -> List.of(false);
        case yes -> List.of(true);
        case both -> List.of(false, true);
      };
    }
  }
}
