package io.sluice.cli;

import io.sluice.cli.cluster.ClusterCommand;
import io.sluice.cli.quickstart.QuickstartCommand;
import io.sluice.cli.service.CoordinatorCommand;
import io.sluice.cli.service.ServerCommand;
import io.sluice.cli.storage.CatalogCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code sluice} command. */
@Command(
    name = "sluice",
    mixinStandardHelpOptions = true,
    version = "sluice 0.1.0-SNAPSHOT",
    description = "A disaggregated shuffle service for Spark and MapReduce.",
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "  0:it worked",
      "  1:it ran, and what it checked is not so (results differ, a job failed)",
      " 64:wrong arguments",
      " 69:something needed does not answer (port taken, server not starting)",
      " 70:a bug in Sluice, or a build that failed",
      " 74:the disk is full or broken",
      " 78:wrong configuration, or Java or Spark of the wrong version",
      "130:stopped by Ctrl-C; 143: by SIGTERM"
    },
    subcommands = {
      CoordinatorCommand.class,
      ServerCommand.class,
      ClusterCommand.class,
      CatalogCommand.class,
      QuickstartCommand.class
    })
public final class Sluice {
  private Sluice() {}

  public static void main(String[] args) {
    System.exit(run(args));
  }

  /** Runs a command and returns its {@link ExitCode}. */
  static int run(String... args) {
    CommandLine command = command();
    return args.length == 0 ? usage(command) : ExitCode.run(command, args);
  }

  /** The command with all below it. */
  static CommandLine command() {
    return new CommandLine(new Sluice());
  }

  private static int usage(CommandLine command) {
    command.usage(command.getErr());
    return ExitCode.USAGE;
  }
}
