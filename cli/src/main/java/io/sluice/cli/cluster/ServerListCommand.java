package io.sluice.cli.cluster;

import io.sluice.cli.ExitCode;
import io.sluice.proto.control.v1.GetClusterResponse;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice server list}. */
@Command(
    name = "list",
    mixinStandardHelpOptions = true,
    description = "Lists the servers of a cluster, and which of them are to be drained.")
public final class ServerListCommand implements Callable<Integer> {
  @Mixin private ClusterOptions options = new ClusterOptions();

  @Override
  public Integer call() {
    GetClusterResponse cluster = ClusterView.servers(options.calls());
    System.out.print(
        options.write(ClusterDocument.servers(cluster), () -> ServerLines.table(cluster)));
    return ExitCode.OK;
  }
}
