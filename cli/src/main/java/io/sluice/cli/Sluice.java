package io.sluice.cli;

import io.sluice.cli.bench.BenchCommand;
import io.sluice.cli.cluster.AdmissionCommand;
import io.sluice.cli.cluster.ApplicationCommand;
import io.sluice.cli.cluster.ClusterCommand;
import io.sluice.cli.cluster.QuotaCommand;
import io.sluice.cli.cluster.ShuffleCommand;
import io.sluice.cli.doctor.ConfigCommand;
import io.sluice.cli.doctor.DoctorCommand;
import io.sluice.cli.quickstart.QuickstartCommand;
import io.sluice.cli.service.CoordinatorCommand;
import io.sluice.cli.service.ServerCommand;
import io.sluice.cli.service.StopSignal;
import io.sluice.cli.storage.CatalogCommand;
import java.util.UUID;
import org.apache.logging.log4j.LogManager;
import picocli.AutoComplete;
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
      "  1:it ran, and what it checked is not so (results differ, a job failed, a call is refused)",
      " 64:wrong arguments",
      " 69:something needed does not answer (port taken, server not starting)",
      " 70:a bug in Sluice, or a build that failed",
      " 74:the disk is full or broken, or a stop could not save all that was in memory",
      " 78:wrong configuration, or Java or Spark of the wrong version",
      "130:stopped by Ctrl-C; 143: by SIGTERM"
    },
    subcommands = {
      CoordinatorCommand.class,
      ServerCommand.class,
      ClusterCommand.class,
      ApplicationCommand.class,
      ShuffleCommand.class,
      QuotaCommand.class,
      AdmissionCommand.class,
      ConfigCommand.class,
      DoctorCommand.class,
      BenchCommand.class,
      CatalogCommand.class,
      QuickstartCommand.class,
      AutoComplete.GenerateCompletion.class
    })
public final class Sluice {
  private Sluice() {}

  public static void main(String[] args) {
    StopSignal stop = new StopSignal(Runtime.getRuntime()::halt);
    int code = run(stop, args);
    // It has no hook of its own, so as to outlive an orderly stop.
    LogManager.shutdown();
    System.exit(stop.ended(code));
  }

  /**
   * Runs a command and returns its {@link ExitCode}.
   *
   * @param stop ends a service; to be told the code when nothing is left to be done
   */
  static int run(StopSignal stop, String... args) {
    CommandLine command = command(stop);
    return args.length == 0 ? usage(command) : ExitCode.run(command, args);
  }

  /** The command with all below it. */
  static CommandLine command(StopSignal stop) {
    return new CommandLine(new Sluice(), new Parts(stop))
        .registerConverter(UUID.class, new IdConverter());
  }

  private static int usage(CommandLine command) {
    command.usage(command.getErr());
    return ExitCode.USAGE;
  }

  /** Makes the parts of a command line; those that are to be stopped in order share their end. */
  private record Parts(StopSignal stop) implements CommandLine.IFactory {
    @Override
    public <K> K create(Class<K> type) throws Exception {
      if (type == CoordinatorCommand.class) {
        return type.cast(new CoordinatorCommand(stop));
      }
      if (type == ServerCommand.class) {
        return type.cast(new ServerCommand(stop));
      }
      if (type == BenchCommand.class) {
        return type.cast(new BenchCommand(stop));
      }
      return CommandLine.defaultFactory().create(type);
    }
  }
}
