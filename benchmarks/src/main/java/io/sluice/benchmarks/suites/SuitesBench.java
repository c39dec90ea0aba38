package io.sluice.benchmarks.suites;

import io.sluice.benchmarks.suites.SuitePlan.Local;
import io.sluice.benchmarks.suites.SuitePlan.Planned;
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
import io.sluice.cli.spark.SparkHome;
import io.sluice.cli.spark.UnusableSparkException;
import io.sluice.common.config.DataSize;
import io.sluice.common.time.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Spark's own test suites through Sluice. */
@Command(
    name = "suites",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Runs Spark's own test suites with Sluice as the shuffle manager, each in a process of its"
          + " own.",
      "Fails if a test fails that is not on the list of expected failures, or passes though it is;"
          + " docs/spark-compatibility.md has the list."
    })
public final class SuitesBench implements Callable<Integer> {
  private static final int SERVERS = 2;

  @Option(
      names = "--suite",
      split = ",",
      description = "only those whose class name ends so; several with commas",
      paramLabel = "NAME")
  private List<String> names = List.of();

  @Option(
      names = "--own",
      description = "with Spark's own shuffle instead, to see what fails here anyhow")
  private boolean own;

  @Option(
      names = "--deadline-s",
      description = "seconds after which a suite is ended",
      paramLabel = "N")
  private long deadlineSeconds = 900;

  @Option(names = "--conf", description = "a Spark property", paramLabel = "KEY=VALUE")
  private final Map<String, String> properties = new LinkedHashMap<>();

  @Mixin private final TestedSparkOption tested = new TestedSparkOption();
  @Mixin private final OutputOptions output = new OutputOptions();

  @Override
  public Integer call() throws Exception {
    List<Planned> planned = planned(SuitePlan.of(tested.spark()));
    RunDirectory directory = RunDirectory.create("sluice-suites-", output.keep());
    try (ProcessGroup group = ProcessGroup.endedBySignals(directory::discard)) {
      SuiteReport report = run(planned, group, directory.path());
      System.out.print(report.text());
      output.append(report.json());
      if (report.asExpected()) {
        return ExitCode.OK;
      }
      directory.keep();
      System.out.println("Logs and reports are in " + directory.path());
      return ExitCode.FAILED;
    }
  }

  private List<Planned> planned(SuitePlan plan) {
    if (names.isEmpty()) {
      return plan.suites();
    }
    List<Planned> chosen = new ArrayList<>();
    for (String name : names) {
      List<Planned> known =
          plan.suites().stream()
              .filter(suite -> suite.name().equals(name) || suite.name().endsWith("." + name))
              .toList();
      if (known.isEmpty() && !name.contains(".")) {
        throw new CommandFailedException(
            ExitCode.USAGE,
            "no such suite in the plan: " + name + "; give its class with packages");
      }
      chosen.addAll(known.isEmpty() ? List.of(Planned.unknown(name)) : known);
    }
    return chosen;
  }

  private SuiteReport run(List<Planned> planned, ProcessGroup group, Path directory)
      throws IOException, ChildFailedException, InterruptedException, UnusableSparkException {
    Installation installation = Installation.ofScripts();
    SparkHome spark = installation.suitesHome(tested.spark());
    Path client = installation.sparkClient(tested.spark());
    System.out.println("Suites of Spark " + spark.version() + " on Scala " + spark.scala());
    Optional<LocalCluster> cluster = Optional.empty();
    Map<String, String> all = new LinkedHashMap<>();
    if (!own) {
      cluster = Optional.of(cluster(installation, group, directory));
      all.putAll(cluster.get().spark("local", "1g", client).properties());
    }
    all.putAll(properties);
    Path files = Files.createDirectory(directory.resolve("files"));
    TestFiles.unpack(spark, files);
    List<Path> libraries = List.of(files, client, installation.suites(tested.spark()));
    List<Judgement> judgements = new ArrayList<>();
    for (Planned suite : planned) {
      System.out.println("Running " + suite.name() + " ...");
      Path place = Files.createDirectory(directory.resolve("suite-" + (judgements.size() + 1)));
      SuiteProcess process = new SuiteProcess(group, spark, libraries, all, place);
      SuiteResult result = result(suite.name(), process, cluster);
      judgements.add(own ? withoutPlan(result) : Judgement.of(suite, result));
    }
    return new SuiteReport(spark.version(), judgements);
  }

  private SuiteResult result(String suite, SuiteProcess process, Optional<LocalCluster> cluster)
      throws IOException, InterruptedException {
    long pushedBefore = pushed(cluster);
    long started = Clock.system().nanoTime();
    SuiteProcess.Ended ended = process.run(suite, Duration.ofSeconds(deadlineSeconds));
    double seconds = (Clock.system().nanoTime() - started) / 1e9;
    return new SuiteResult(
        suite, ended.tests(), ended.aborted(), seconds, pushed(cluster) - pushedBefore);
  }

  private static long pushed(Optional<LocalCluster> cluster) {
    return cluster.map(c -> c.usage().pushedBytes()).orElse(0L);
  }

  /** Without Sluice nothing is expected of Sluice; whatever fails is told. */
  private static Judgement withoutPlan(SuiteResult result) {
    Planned nothing =
        new Planned(
            result.suite(), Map.of(), Map.of(), new Local("it is Spark's own shuffle", true));
    return Judgement.of(nothing, result);
  }

  private static LocalCluster cluster(Installation installation, ProcessGroup group, Path directory)
      throws IOException, ChildFailedException, InterruptedException {
    LocalClusterSettings settings =
        new LocalClusterSettings(
            SERVERS, DataSize.parse("512m"), Map.of(), installation.classPath());
    return LocalCluster.start(group, settings, Files.createDirectory(directory.resolve("cluster")));
  }
}
