package io.sluice.cli.quickstart;

import io.sluice.cli.DataSizeConverter;
import io.sluice.cli.MasterConverter;
import io.sluice.cli.local.Corpus;
import io.sluice.cli.local.LocalClusterSettings;
import io.sluice.cli.local.TestedSpark;
import io.sluice.cli.local.TestedSparkOption;
import io.sluice.cli.report.OutputOptions;
import io.sluice.cli.spark.JobRequest;
import io.sluice.common.config.DataSize;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What a user can choose about a quickstart. */
final class QuickstartOptions {
  private static final String ROWS = "--rows";
  private static final int MAPS = 20;

  /** What to run. */
  enum Choice {
    wordcount,
    sort,
    join,
    all
  }

  @Option(
      names = "--workload",
      description = "one of: ${COMPLETION-CANDIDATES}",
      paramLabel = "NAME")
  private Choice workload = Choice.all;

  @Option(names = ROWS, description = "rows to sort and to join", paramLabel = "N")
  private long rows = 1_000_000;

  @Option(names = "--partitions", description = "reduce partitions", paramLabel = "N")
  private int partitions = 200;

  @Option(names = "--servers", description = "shuffle servers", paramLabel = "N")
  private int servers = 2;

  @Option(
      names = "--server-memory",
      description = "memory budget of each server's process, such as 512m",
      converter = DataSizeConverter.class,
      paramLabel = "SIZE")
  private DataSize serverMemory = DataSize.parse("1g");

  @Option(
      names = "--master",
      description = "local[N], or local-cluster[executors,cores,MiB]",
      converter = MasterConverter.class,
      paramLabel = "MASTER")
  private String master = "local[2]";

  @Option(
      names = "--heap",
      description = "heap of Spark's driver, such as 2g",
      converter = DataSizeConverter.class,
      paramLabel = "SIZE")
  private DataSize heap = DataSize.parse("2g");

  @Option(
      names = "--spark-home",
      description = "a Spark of that line; else $SPARK_HOME, else Maven's",
      paramLabel = "DIR")
  private @Nullable Path sparkHome;

  @Mixin private final TestedSparkOption tested = new TestedSparkOption();
  @Mixin private final OutputOptions output = new OutputOptions();

  @Option(
      names = "--only-check",
      hidden = true,
      description = "look at the other options, and end without a word if they can be used")
  private boolean onlyCheck;

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init")
  private CommandSpec command;

  /** What was given but means nothing here; empty if all of it does. */
  Optional<String> warning() {
    boolean given = command.commandLine().getParseResult().hasMatchedOption(ROWS);
    return given && workload == Choice.wordcount
        ? Optional.of("--rows is ignored: it is for sort and join, wordcount reads a text")
        : Optional.empty();
  }

  /** Rows of the workload with the most of them, the text's lines aside. */
  long rowsMax() {
    return workload == Choice.wordcount ? 0 : rows;
  }

  long rows() {
    return rows;
  }

  int partitions() {
    return partitions;
  }

  int servers() {
    return servers;
  }

  boolean onlyCheck() {
    return onlyCheck;
  }

  List<String> workloads() {
    return workload == Choice.all
        ? List.of(Choice.wordcount.name(), Choice.sort.name(), Choice.join.name())
        : List.of(workload.name());
  }

  /** One request for each workload; writes the text to count words of. */
  List<JobRequest> requests(Path directory) throws IOException {
    List<JobRequest> requests = new ArrayList<>();
    for (String name : workloads()) {
      if (name.equals(Choice.wordcount.name())) {
        Corpus corpus = Corpus.writeTo(directory.resolve("text"), MAPS);
        String text = corpus.directory().toString();
        requests.add(new JobRequest(name, corpus.lines(), partitions, MAPS, true, text, false));
      } else {
        requests.add(new JobRequest(name, rows, partitions, MAPS, false, "", false));
      }
    }
    return requests;
  }

  LocalClusterSettings cluster() {
    return new LocalClusterSettings(servers, serverMemory, Map.of());
  }

  DataSize serverMemory() {
    return serverMemory;
  }

  String master() {
    return master;
  }

  DataSize heap() {
    return heap;
  }

  TestedSpark spark() {
    return tested.spark();
  }

  @Nullable Path sparkHome() {
    return sparkHome;
  }

  OutputOptions output() {
    return output;
  }
}
