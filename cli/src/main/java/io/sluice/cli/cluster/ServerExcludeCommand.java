package io.sluice.cli.cluster;

import io.sluice.cli.ExitCode;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice server exclude}. */
@Command(
    name = "exclude",
    mixinStandardHelpOptions = true,
    description = {
      "Places no new shuffles on a server; those that are there go on. To empty it, drain it.",
      "Kept by the coordinators until it is undone."
    })
public final class ServerExcludeCommand implements Callable<Integer> {
  @Mixin private ClusterOptions options = new ClusterOptions();

  @Parameters(paramLabel = "ID", description = "the server, as 'sluice server list' names it")
  private UUID server = new UUID(0, 0);

  @Option(names = "--undo", description = "places shuffles there again")
  private boolean undo;

  @Override
  public Integer call() {
    options.calls().change(undo ? "DELETE" : "PUT", "/servers/" + server + "/exclusion", "");
    return ExitCode.OK;
  }
}
