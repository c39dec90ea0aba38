package io.sluice.cli.service;

import io.sluice.cli.ExitCode;
import io.sluice.cli.cluster.ServerDrainCommand;
import io.sluice.cli.cluster.ServerExcludeCommand;
import io.sluice.cli.cluster.ServerListCommand;
import io.sluice.cli.cluster.ServerUndrainCommand;
import io.sluice.common.config.DataSize;
import io.sluice.common.config.Settings;
import io.sluice.common.error.SluiceException;
import io.sluice.common.security.SecurityConfig;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.server.ShuffleServer;
import io.sluice.server.config.ProcessMemory;
import io.sluice.server.config.ServerChecks;
import io.sluice.server.config.ServerConfig;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice server run}. */
@Command(
    name = "server",
    mixinStandardHelpOptions = true,
    description = "The data plane: takes blocks in, keeps them, gives them out.",
    subcommands = {
      ServerListCommand.class,
      ServerDrainCommand.class,
      ServerUndrainCommand.class,
      ServerExcludeCommand.class
    })
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
  int run(@Mixin ServiceOptions options) throws InterruptedException {
    // Who only asks for flags is another JVM than that which will have them.
    Function<DataSize, ProcessMemory> process =
        options.onlyPrintsJvmFlags()
            ? budget -> ServerJvm.memoryToCome(budget, System.getenv())
            : budget -> ProcessMemory.current();
    Settings settings =
        options.read(
            ServerConfig.SECTION,
            CoordinatorConfig.SECTION,
            reader -> {
              ServerChecks.of(process).forEach(reader::check);
              ServerChecks.FILES.forEach(reader::check);
              ServerChecks.PLACES.forEach(reader::check);
            });
    if (options.onlyPrintsJvmFlags()) {
      System.out.println(String.join(" ", ServerJvm.flags(ServerConfig.memory(settings))));
      return ExitCode.OK;
    }
    return serve(ServerConfig.from(settings), SecurityConfig.from(settings), options);
  }

  private int serve(ServerConfig config, SecurityConfig security, ServiceOptions options)
      throws InterruptedException {
    UncaughtFailures.install();
    GrpcLog.quiet();
    options.watch(stop);
    Supervisor supervisor = Supervisor.ofEnvironment();
    try (ShuffleServer server = ShuffleServer.start(config, security)) {
      supervisor.waiting("no coordinator has admitted this server yet");
      // Not on the thread that admits: others wait for that one.
      CompletionStage<Void> admission =
          server
              .firstAdmission()
              .thenRunAsync(() -> announce(announcement(config, server), supervisor));
      admission.whenComplete(
          (announced, refused) -> {
            if (refused != null) {
              stop.stop();
            }
          });
      stop.await();
      throwIfRefused(admission.toCompletableFuture());
      supervisor.stopping(longestStop(config));
    }
    return ExitCode.OK;
  }

  /**
   * @throws SluiceException INVALID_CONFIGURATION if no coordinator will have this server
   */
  private static void throwIfRefused(CompletableFuture<Void> admitted) {
    try {
      admitted.getNow(null);
    } catch (CompletionException e) {
      if (e.getCause() instanceof SluiceException refusal) {
        throw refusal;
      }
      throw e;
    }
  }

  private static void announce(Announcement announcement, Supervisor supervisor) {
    System.out.println(announcement);
    supervisor.ready(announcement);
  }

  /**
   * Clients have a quarter of the timeout to go, memory all of it to reach the disks; syncing and
   * sealing the files of thousands of shuffles takes tens of seconds (docs/failures.md).
   */
  private static Duration longestStop(ServerConfig config) {
    Duration flush = config.storage().stopTimeout();
    return flush.plus(flush.dividedBy(2)).plusSeconds(30);
  }

  private static Announcement announcement(ServerConfig config, ShuffleServer server) {
    String host = config.advertised().host().orElse("localhost");
    int port = config.advertised().port().orElse(server.port());
    return new Announcement(host + ":" + port, host + ":" + server.httpPort());
  }
}
