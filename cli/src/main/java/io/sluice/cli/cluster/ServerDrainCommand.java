package io.sluice.cli.cluster;

import io.sluice.cli.ExitCode;
import io.sluice.proto.control.v1.DrainProgress;
import io.sluice.proto.control.v1.ServerInfo;
import io.sluice.proto.control.v1.ServerState;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice server drain}. */
@Command(
    name = "drain",
    mixinStandardHelpOptions = true,
    description = {
      "Decommissions a server: it takes no new data and serves readers until its data is gone.",
      "Kept by the coordinators until it is undone, over restarts of the server too.",
      "Refused if no server, or fewer than a shuffle has replicas, would be left that takes data.",
      "With --wait it fails if the server is lost, or not there, instead of empty."
    })
public final class ServerDrainCommand implements Callable<Integer> {
  @Mixin private ClusterOptions options = new ClusterOptions();

  @Parameters(paramLabel = "ID", description = "the server, as 'sluice server list' names it")
  private UUID server = new UUID(0, 0);

  @Option(names = "--wait", description = "ends when the server holds nothing any more")
  private boolean wait;

  @Option(names = "--force", description = "also if too few servers that take data would be left")
  private boolean force;

  @Option(names = "--undo", description = "lets the server take data again")
  private boolean undo;

  @Override
  public Integer call() {
    ServerDrain drain = new ServerDrain(options, server);
    if (undo) {
      drain.undo();
      return ExitCode.OK;
    }
    DrainProgress last = drain.begin(wait, force);
    return wait && !isEmpty(last.getServer()) ? ExitCode.FAILED : ExitCode.OK;
  }

  /** Neither one that is lost is, nor one that is not there: what they held nobody knows. */
  private static boolean isEmpty(ServerInfo info) {
    return info.getDrained() && info.getState() != ServerState.LOST;
  }
}
