package io.sluice.benchmarks;

import io.sluice.benchmarks.coordinator.CoordinatorBench;
import io.sluice.benchmarks.crowded.PressureBench;
import io.sluice.benchmarks.crowded.WritersBench;
import io.sluice.benchmarks.hadoop.MapReduceBench;
import io.sluice.benchmarks.queries.QueriesBench;
import io.sluice.benchmarks.storage.StorageBench;
import io.sluice.benchmarks.storage.restart.RestartBench;
import io.sluice.benchmarks.suites.SuitesBench;
import io.sluice.benchmarks.wire.WireBench;
import io.sluice.cli.ExitCode;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code bench} command: reproducible measurements, each against something that is known. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    description = "Measures Sluice.",
    subcommands = {
      SparkBench.class,
      MapReduceBench.class,
      StorageBench.class,
      RestartBench.class,
      WireBench.class,
      WritersBench.class,
      PressureBench.class,
      CoordinatorBench.class,
      SuitesBench.class,
      QueriesBench.class
    })
public final class Bench {
  private Bench() {}

  public static void main(String[] args) {
    System.exit(run(args));
  }

  /** Runs a command; gives what the process would exit with. */
  public static int run(String... args) {
    return ExitCode.run(command(), args);
  }

  /** The command with all below it. */
  static CommandLine command() {
    return new CommandLine(new Bench());
  }
}
