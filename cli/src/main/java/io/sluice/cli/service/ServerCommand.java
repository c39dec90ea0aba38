package io.sluice.cli.service;

import io.sluice.cli.ExitCode;
import io.sluice.cli.cluster.ServerDrainCommand;
import io.sluice.cli.cluster.ServerListCommand;
import io.sluice.common.config.Settings;
import io.sluice.common.security.SecurityConfig;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.server.ShuffleServer;
import io.sluice.server.config.ServerConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice server run}. */
@Command(
    name = "server",
    mixinStandardHelpOptions = true,
    description = "The data plane: takes blocks in, keeps them, gives them out.",
    subcommands = {ServerListCommand.class, ServerDrainCommand.class})
public final class ServerCommand {
  private final StopSignal stop;

  /**
   * @param stop ends the service
   */
  public ServerCommand(StopSignal stop) {
    this.stop = stop;
  }

  @Command(
      name = "run",
      mixinStandardHelpOptions = true,
      description = {
        "Runs a shuffle server until it is stopped.",
        "Says 'ready' on standard output once a coordinator has admitted it."
      })
  int run(
      @Mixin ServiceOptions options,
      @Option(
              names = "--print-jvm-flags",
              hidden = true,
              description =
                  "print the flags that this JVM should have, and end; an option and no command, so"
                      + " that what it finds wrong is said as 'run' says it")
          boolean printJvmFlags)
      throws InterruptedException {
    Settings settings = options.read(ServerConfig.SECTION, CoordinatorConfig.SECTION);
    if (printJvmFlags) {
      System.out.println(String.join(" ", ServerJvm.flags(settings.get(ServerConfig.MEMORY))));
      return ExitCode.OK;
    }
    return serve(ServerConfig.from(settings), SecurityConfig.from(settings), options);
  }

  private int serve(ServerConfig config, SecurityConfig security, ServiceOptions options)
      throws InterruptedException {
    UncaughtFailures.install();
    options.watch(stop);
    try (ShuffleServer server = ShuffleServer.start(config, security)) {
      server.firstAdmission().thenRun(() -> System.out.println(announcement(config, server)));
      stop.await();
    }
    return ExitCode.OK;
  }

  private static Announcement announcement(ServerConfig config, ShuffleServer server) {
    String host = config.advertised().host().orElse("localhost");
    int port = config.advertised().port().orElse(server.port());
    return new Announcement(host + ":" + port, host + ":" + server.httpPort());
  }
}
