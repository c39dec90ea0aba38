package io.sluice.cli.service;

import io.sluice.cli.ExitCode;
import io.sluice.common.config.Settings;
import io.sluice.common.security.SecurityConfig;
import io.sluice.coordinator.Coordinator;
import io.sluice.coordinator.CoordinatorChecks;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.server.config.ProcessMemory;
import io.sluice.server.config.ServerConfig;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice coordinator run}. */
@Command(
    name = "coordinator",
    mixinStandardHelpOptions = true,
    description = "The control plane: who is there, and what goes where.")
public final class CoordinatorCommand {
  /** Twice what docs/operations/running.md promises. */
  private static final Duration STOP_MAX = Duration.ofSeconds(40);

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
    Settings settings =
        options.read(
            CoordinatorConfig.SECTION,
            ServerConfig.SECTION,
            reader -> {
              CoordinatorChecks.ALL.forEach(reader::check);
              CoordinatorChecks.FILES.forEach(reader::check);
              CoordinatorChecks.PLACES.forEach(reader::check);
              reader.checkIfWrong(Coordinator.ZOOKEEPER_CHECK);
            });
    if (options.onlyPrintsJvmFlags()) {
      long machine = ProcessMemory.current().machine();
      System.out.println(String.join(" ", ServerJvm.coordinatorFlags(machine)));
      return ExitCode.OK;
    }
    UncaughtFailures.install();
    GrpcLog.quiet();
    options.watch(stop);
    Supervisor supervisor = Supervisor.ofEnvironment();
    try (Coordinator coordinator =
        Coordinator.start(
            CoordinatorConfig.from(settings), SecurityConfig.from(settings), settings.entries())) {
      Announcement announcement =
          new Announcement(
              coordinator.address().toString(),
              coordinator.address().host() + ":" + coordinator.httpPort());
      System.out.println(announcement);
      supervisor.ready(announcement);
      stop.await();
      supervisor.stopping(STOP_MAX);
    }
    return ExitCode.OK;
  }
}
