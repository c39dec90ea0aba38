package io.sluice.cli.quickstart;

import io.sluice.cli.ExitCode;
import io.sluice.cli.local.Installation;
import io.sluice.cli.local.RunDirectory;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.report.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
    options.check();
    RunDirectory directory = RunDirectory.create("sluice-quickstart-", options.keep());
    Progress progress =
        new Progress(System.out, Boolean.getBoolean("sluice.terminal"), Quickstart.steps(options));
    try (ProcessGroup group = ProcessGroup.endedBySignals(directory::discard)) {
      Summary summary = run(group, directory, progress);
      progress.say(summary.text());
      write(summary);
      return summary.equal() ? ExitCode.OK : ExitCode.FAILED;
    } finally {
      if (directory.kept()) {
        progress.say("Logs and data: " + directory.path());
      }
    }
  }

  /** Runs, and keeps what a failure left to look at. */
  private Summary run(ProcessGroup group, RunDirectory directory, Progress progress)
      throws Exception {
    boolean done = false;
    try {
      Summary summary =
          new Quickstart(options, Installation.ofScripts(), group, directory.path(), progress)
              .run();
      done = summary.equal();
      return summary;
    } finally {
      if (!done) {
        directory.keep();
      }
    }
  }

  private void write(Summary summary) throws IOException {
    Path file = options.json();
    if (file != null) {
      Files.writeString(file, summary.json(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
  }
}
