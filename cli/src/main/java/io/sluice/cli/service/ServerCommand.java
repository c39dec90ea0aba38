package io.sluice.cli.service;

import io.sluice.cli.ExitCode;
import io.sluice.common.config.Settings;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.server.ShuffleServer;
import io.sluice.server.config.ServerConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice server run}. */
@Command(
    name = "server",
    mixinStandardHelpOptions = true,
    description = "The data plane: takes blocks in, keeps them, gives them out.")
public final class ServerCommand {

  @Command(
      name = "run",
      mixinStandardHelpOptions = true,
      description = {
        "Runs a shuffle server until it is stopped.",
        "Says 'ready' on standard output once a coordinator has admitted it."
      })
  int run(@Mixin ServiceOptions options) throws InterruptedException {
    UncaughtFailures.install();
    ServerConfig config = ServerConfig.from(read(options));
    try (StopSignal signal = options.stopSignal();
        ShuffleServer server = ShuffleServer.start(config)) {
      server.firstAdmission().thenRun(() -> System.out.println(announcement(config, server)));
      signal.await();
    }
    return ExitCode.OK;
  }

  @Command(
      name = "jvm-flags",
      hidden = true,
      description = "Prints the JVM flags that 'run' with the same options should get.")
  int jvmFlags(@Mixin ServiceOptions options) {
    System.out.println(String.join(" ", ServerJvm.flags(read(options).get(ServerConfig.MEMORY))));
    return ExitCode.OK;
  }

  private static Settings read(ServiceOptions options) {
    return options.read(ServerConfig.SECTION, CoordinatorConfig.SECTION);
  }

  private static Announcement announcement(ServerConfig config, ShuffleServer server) {
    String host = config.advertised().host().orElse("localhost");
    int port = config.advertised().port().orElse(server.port());
    return new Announcement(host + ":" + port, host + ":" + server.httpPort());
  }
}
