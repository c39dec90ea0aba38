package io.sluice.cli.cluster;

import io.sluice.cli.ExitCode;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sluice server undrain}. */
@Command(
    name = "undrain",
    mixinStandardHelpOptions = true,
    description = "Lets a drained server take data again, as 'drain --undo' does.")
public final class ServerUndrainCommand implements Callable<Integer> {
  @Mixin private ClusterOptions options = new ClusterOptions();

  @Parameters(paramLabel = "ID", description = "the server, as 'sluice server list' names it")
  private UUID server = new UUID(0, 0);

  @Override
  public Integer call() {
    new ServerDrain(options, server).undo();
    return ExitCode.OK;
  }
}
