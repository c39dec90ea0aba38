package io.sluice.cli.service;

import io.sluice.cli.ExitCode;
import io.sluice.common.config.Settings;
import io.sluice.common.security.SecurityConfig;
import io.sluice.coordinator.Coordinator;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.server.config.ServerConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice coordinator run}. */
@Command(
    name = "coordinator",
    mixinStandardHelpOptions = true,
    description = "The control plane: who is there, and what goes where.")
public final class CoordinatorCommand {
  private final StopSignal stop;

  /**
   * @param stop ends the service
   */
  public CoordinatorCommand(StopSignal stop) {
    this.stop = stop;
  }

  @Command(
      name = "run",
      mixinStandardHelpOptions = true,
      description =
          "Runs a coordinator until it is stopped; with no ZooKeeper configured, it runs its own.")
  int run(@Mixin ServiceOptions options) throws InterruptedException {
    UncaughtFailures.install();
    Settings settings = options.read(CoordinatorConfig.SECTION, ServerConfig.SECTION);
    options.watch(stop);
    try (Coordinator coordinator =
        Coordinator.start(CoordinatorConfig.from(settings), SecurityConfig.from(settings))) {
      System.out.println(
          new Announcement(
              coordinator.address().toString(),
              coordinator.address().host() + ":" + coordinator.httpPort()));
      stop.await();
    }
    return ExitCode.OK;
  }
}
