package io.sluice.benchmarks.queries;

import io.sluice.benchmarks.Arguments;
import io.sluice.benchmarks.PairOptions;
import io.sluice.cli.CommandFailedException;
import io.sluice.cli.ExitCode;
import io.sluice.cli.local.Installation;
import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.LocalClusterSettings;
import io.sluice.cli.local.RunDirectory;
import io.sluice.cli.local.TestedSparkOption;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.report.OutputOptions;
import io.sluice.cli.report.Units;
import io.sluice.cli.spark.JobFailedException;
import io.sluice.cli.spark.JobJar;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.cli.spark.SparkHome;
import io.sluice.cli.spark.SparkSettings;
import io.sluice.cli.spark.UnusableSparkException;
import io.sluice.common.config.DataSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Queries of TPC-DS and TPC-H through Sluice and through Spark's own shuffle. */
@Command(
    name = "queries",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Runs the queries of TPC-DS and TPC-H that Spark ships with its tests through Sluice and"
          + " through Spark's own shuffle, in turns, and compares the rows.",
      "Joins shuffle whatever their size, and partitions are small, so that little data takes the"
          + " ways that much data takes."
    })
public final class QueriesBench implements Callable<Integer> {
  private static final int SERVERS = 2;

  /** Whether plans may change while they run; spelled as on the command line. */
  enum Aqe {
    on,
    off
  }

  @Option(
      names = "--suite",
      split = ",",
      description = "any of ${COMPLETION-CANDIDATES}; several with commas",
      paramLabel = "NAME")
  private List<QuerySuite> suites = List.of(QuerySuite.tpcds, QuerySuite.tpch);

  @Option(names = "--scale", description = "of the data; 1 is a gigabyte", paramLabel = "N")
  private double scale = 0.01;

  @Option(
      names = "--aqe",
      split = ",",
      description = "adaptive execution: ${COMPLETION-CANDIDATES}",
      paramLabel = "SETTING")
  private List<Aqe> aqe = List.of(Aqe.on, Aqe.off);

  @Option(
      names = "--query",
      split = ",",
      description = "only these, such as q1, v2.7/q1 or modified/q3; several with commas",
      paramLabel = "NAME")
  private List<String> names = List.of();

  @Option(names = "--few", description = "only a few that shuffle in different ways")
  private boolean few;

  @Option(
      names = "--data",
      description = "folder for the data, made once; by default where the build's results are",
      paramLabel = "DIR")
  private @Nullable Path data;

  @Option(names = "--partitions", description = "of a shuffle, before AQE", paramLabel = "N")
  private int partitions = 16;

  @Option(
      names = "--queries-each",
      description =
          "that a driver runs before new ones, cold, take the place of both, so that what one JVM"
              + " is like is not all queries'; 0: the first run all. Servers stay",
      paramLabel = "N")
  private int queriesEach;

  @Option(names = "--heap", description = "heap of each driver", paramLabel = "SIZE")
  private String heap = "2g";

  @Option(names = "--conf", description = "a Spark property, for both", paramLabel = "KEY=VALUE")
  private final Map<String, String> properties = new LinkedHashMap<>();

  @Mixin private final TestedSparkOption tested = new TestedSparkOption();
  @Mixin private final PairOptions pairs = new PairOptions(0, 1);
  @Mixin private final OutputOptions output = new OutputOptions();

  @Override
  public Integer call() throws Exception {
    pairs.check();
    Arguments.atLeast(1, "--partitions", partitions);
    Arguments.atLeast(0, "--queries-each", queriesEach);
    if (!(scale > 0)) {
      throw new CommandFailedException(ExitCode.USAGE, "--scale must be above 0, not " + scale);
    }
    RunDirectory directory = RunDirectory.create("sluice-queries-", output.keep());
    try (ProcessGroup group = ProcessGroup.endedBySignals(directory::discard)) {
      return run(group, directory) ? ExitCode.OK : ExitCode.FAILED;
    }
  }

  /** Before the group ends, which discards a directory that nobody keeps. */
  private boolean run(ProcessGroup group, RunDirectory directory)
      throws IOException,
          UnusableSparkException,
          ChildFailedException,
          JobFailedException,
          InterruptedException {
    boolean equal = false;
    try {
      equal = run(group, directory.path());
    } catch (ChildFailedException | JobFailedException e) {
      keep(directory);
      throw e;
    }
    if (!equal) {
      keep(directory);
    }
    return equal;
  }

  private static void keep(RunDirectory directory) {
    directory.keep();
    System.out.println("Results and logs are in " + directory.path());
  }

  private boolean run(ProcessGroup group, Path directory)
      throws IOException,
          UnusableSparkException,
          ChildFailedException,
          JobFailedException,
          InterruptedException {
    Installation installation = Installation.ofScripts();
    // The one with Spark's tests, since the queries and the makers of the data lie there.
    SparkHome home = installation.suitesHome(tested.spark());
    System.out.println("Queries of Spark " + home.version() + " on Scala " + home.scala());
    LocalCluster cluster =
        LocalCluster.start(
            group,
            new LocalClusterSettings(
                SERVERS, DataSize.parse("1g"), Map.of(), installation.classPath()),
            Files.createDirectory(directory.resolve("cluster")));
    SparkSettings settings =
        SparkSettings.sparkOwn("local[2]", heap)
            .with(QuerySettings.smallData(partitions))
            .with(properties);
    SparkSettings through =
        cluster
            .spark(settings.master(), heap, installation.sparkClient(tested.spark()))
            .with(settings.properties());
    JobJar loop = loop(installation);
    try (QueryDrivers drivers =
        new QueryDrivers(
            starter("sluice", through, group, home, loop, directory),
            starter("own", settings, group, home, loop, directory),
            queriesEach)) {
      return measure(home, new QueryPairs(drivers)) && wentThroughServers(cluster);
    }
  }

  private boolean measure(SparkHome home, QueryPairs both)
      throws IOException, ChildFailedException, JobFailedException, InterruptedException {
    Map<Aqe, List<QueryOutcome>> all = new EnumMap<>(Aqe.class);
    for (QuerySuite suite : suites) {
      QueryTables tables = new QueryTables(suite, scale, folder(home, suite));
      List<Query> queries = chosen(suite, home);
      for (Aqe setting : aqe) {
        QueryReport report = measure(home, tables, queries, setting == Aqe.on, both);
        output.append(report.json(home.version()));
        System.out.println(report.text());
        all.computeIfAbsent(setting, first -> new ArrayList<>()).addAll(report.outcomes());
      }
    }
    boolean equal = true;
    for (Map.Entry<Aqe, List<QueryOutcome>> of : all.entrySet()) {
      QueryTotals totals = new QueryTotals(of.getKey() == Aqe.on, of.getValue());
      output.append(totals.json(home.version(), pairs.warmups(), pairs.runs(), queriesEach));
      System.out.println(totals.text());
      equal &= of.getValue().stream().allMatch(QueryOutcome::equal);
    }
    return equal;
  }

  /** Equal rows say nothing of a driver that shuffled by itself. */
  private static boolean wentThroughServers(LocalCluster cluster) {
    long pushed = cluster.usage().pushedBytes();
    System.out.println("Servers took in " + Units.bytes(pushed) + ".");
    return pushed > 0;
  }

  private JobJar loop(Installation installation) throws IOException {
    JobJar benchmarks = installation.jobs();
    List<Path> libraries = new ArrayList<>(benchmarks.libraries());
    libraries.add(benchmarks.jar());
    return new JobJar(
        "io.sluice.benchmarks.spark.query.QueryLoop",
        installation.suites(tested.spark()),
        libraries);
  }

  private static QueryDrivers.Starter starter(
      String name,
      SparkSettings settings,
      ProcessGroup group,
      SparkHome home,
      JobJar loop,
      Path directory)
      throws IOException {
    Path rows = Files.createDirectory(directory.resolve("rows-" + name));
    return number ->
        new WarmDriver(
            SparkDriver.start(
                group, home, settings, loop, directory.resolve("spark-" + name + "-" + number)),
            rows);
  }

  private Path folder(SparkHome home, QuerySuite suite) {
    Path parent =
        data == null ? home.jars().resolve("../../data").normalize() : data.toAbsolutePath();
    return parent.resolve(suite + "-" + scale);
  }

  private List<Query> chosen(QuerySuite suite, SparkHome home) throws IOException {
    List<Query> all = suite.read(home.jars());
    List<String> wanted = few && names.isEmpty() ? suite.few() : names;
    if (wanted.isEmpty()) {
      return all;
    }
    List<Query> chosen = all.stream().filter(query -> wanted.contains(query.name())).toList();
    if (chosen.isEmpty()) {
      throw new CommandFailedException(ExitCode.USAGE, "no such query in " + suite + ": " + wanted);
    }
    return chosen;
  }

  private QueryReport measure(
      SparkHome home, QueryTables tables, List<Query> queries, boolean adaptive, QueryPairs both)
      throws IOException, ChildFailedException, JobFailedException, InterruptedException {
    List<QueryOutcome> outcomes = new ArrayList<>();
    for (Query query : queries) {
      QueryOutcome outcome = both.run(tables, query, adaptive, pairs.warmups(), pairs.runs());
      outcomes.add(outcome);
      output.append(outcome.json(home.version(), tables.suite(), scale) + "\n");
      if (!outcome.equal()) {
        System.out.println(tables.suite() + " " + query.name() + " DIFFERS: " + outcome.problem());
      }
    }
    return new QueryReport(tables.suite(), tables.scale(), adaptive, outcomes);
  }
}
