package io.sluice.cli.quickstart;

import io.sluice.cli.ExitCode;
import io.sluice.cli.local.Installation;
import io.sluice.cli.local.RunDirectory;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.report.Progress;
import io.sluice.cli.spark.SparkHome;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice quickstart}. */
@Command(
    name = "quickstart",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Shows Sluice at work on this machine.",
      "Starts a coordinator (with ZooKeeper in its process) and shuffle servers, runs Spark jobs"
          + " through them and through Spark's own shuffle, compares the results, prints a summary"
          + " and stops everything."
    })
public final class QuickstartCommand implements Callable<Integer> {
  @Mixin private final QuickstartOptions options = new QuickstartOptions();

  @Override
  public Integer call() throws Exception {
    Prerequisites.check(options);
    Installation installation = Installation.ofScripts();
    if (options.onlyCheck()) {
      installation.usersSparkHome(options.spark(), options.sparkHome());
      return ExitCode.OK;
    }
    options.warning().ifPresent(warning -> System.err.println("warning: " + warning));
    SparkHome spark = installation.sparkHome(options.spark(), options.sparkHome());
    RunDirectory directory = RunDirectory.create("sluice-quickstart-", options.output().keep());
    Progress progress =
        new Progress(System.out, Boolean.getBoolean("sluice.terminal"), Quickstart.steps(options));
    try (ProcessGroup group =
        ProcessGroup.endedBySignals(
            directory::discard, names -> progress.say(stopped(names, directory)))) {
      Prerequisites.checkDisk(options, RunDirectory.parent());
      Quickstart quickstart =
          new Quickstart(options, installation, group, directory.path(), progress);
      return run(quickstart, spark, group, directory, progress);
    }
  }

  /** Runs, and keeps what a failure left to look at. */
  private int run(
      Quickstart quickstart,
      SparkHome spark,
      ProcessGroup group,
      RunDirectory directory,
      Progress progress)
      throws Exception {
    boolean done = false;
    try {
      Summary summary = quickstart.run(spark);
      progress.say(summary.text());
      write(summary);
      done = summary.equal();
      return done ? ExitCode.OK : ExitCode.FAILED;
    } catch (Exception e) {
      if (group.endedBySignal()) {
        return ExitCode.FAILED; // The signal explains it, and decides how this process ends.
      }
      throw e;
    } finally {
      if (!group.endedBySignal()) {
        if (!done) {
          directory.keep();
        }
        if (directory.kept()) {
          progress.say("Logs and data: " + directory.path());
        }
      }
    }
  }

  private static String stopped(List<String> children, RunDirectory directory) {
    return "stopped by a signal: ended "
        + (children.isEmpty() ? "no process, none ran" : String.join(", ", children))
        + (directory.kept() ? "; logs and data: " : "; removed ")
        + directory.path();
  }

  private void write(Summary summary) throws IOException {
    options.output().append(summary.json());
  }
}
