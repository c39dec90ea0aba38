package io.sluice.cli.quickstart;

import io.sluice.cli.CommandFailedException;
import io.sluice.cli.DataSizeConverter;
import io.sluice.cli.ExitCode;
import io.sluice.cli.local.Corpus;
import io.sluice.cli.local.LocalClusterSettings;
import io.sluice.cli.spark.JobRequest;
import io.sluice.common.config.DataSize;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a user can choose about a quickstart. */
final class QuickstartOptions {
  private static final int MAPS = 20;

  /** What to run. */
  enum Choice {
    wordcount,
    sort,
    join,
    all
  }

  @Option(names = "--workload", description = "one of: ${COMPLETION-CANDIDATES}")
  private Choice workload = Choice.all;

  @Option(names = "--rows", description = "rows to sort and to join")
  private long rows = 1_000_000;

  @Option(names = "--partitions", description = "reduce partitions")
  private int partitions = 200;

  @Option(names = "--servers", description = "shuffle servers")
  private int servers = 2;

  @Option(
      names = "--server-memory",
      description = "memory budget of each server's process, such as 512m",
      converter = DataSizeConverter.class)
  private DataSize serverMemory = DataSize.parse("1g");

  @Option(names = "--master", description = "local[N], or local-cluster[executors,cores,MiB]")
  private String master = "local[2]";

  @Option(names = "--heap", description = "heap of Spark's driver")
  private String heap = "2g";

  @Option(names = "--spark-home", description = "a Spark 3.5; else $SPARK_HOME, else Maven's")
  private @Nullable Path sparkHome;

  @Option(names = "--keep", description = "keep logs and data of the run")
  private boolean keep;

  @Option(names = "--json", description = "append one JSON object per workload to this file")
  private @Nullable Path json;

  /** Says what is out of bounds, before anything starts. */
  void check() {
    require(rows >= 1, "--rows must be at least 1");
    require(partitions >= 1 && partitions <= 1_000_000, "--partitions must be 1 to 1000000");
    require(servers >= 1 && servers <= 64, "--servers must be 1 to 64");
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new CommandFailedException(ExitCode.USAGE, otherwise);
    }
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

  String heap() {
    return heap;
  }

  @Nullable Path sparkHome() {
    return sparkHome;
  }

  boolean keep() {
    return keep;
  }

  @Nullable Path json() {
    return json;
  }
}
