package io.sluice.cli.cluster;

import io.sluice.cli.ExitCode;
import io.sluice.cli.report.TextTable;
import io.sluice.proto.control.v1.ApplicationInfo;
import io.sluice.proto.control.v1.GetClusterResponse;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice cluster status}. */
@Command(
    name = "cluster",
    mixinStandardHelpOptions = true,
    description = "Looks at a running cluster.")
public final class ClusterCommand {
  @Command(
      name = "status",
      mixinStandardHelpOptions = true,
      description = "Lists servers and applications.")
  int status(@Mixin ClusterOptions options) {
    GetClusterResponse cluster = ClusterView.whole(options.calls());
    System.out.print(options.write(ClusterDocument.whole(cluster), () -> table(cluster)));
    return ExitCode.OK;
  }

  private static String table(GetClusterResponse cluster) {
    TextTable applications = new TextTable("APPLICATION", "ENGINE ID", "USER", "SHUFFLES");
    for (ApplicationInfo application : cluster.getApplicationsList()) {
      applications.add(
          ServerLines.id(application.getApplication()),
          application.getEngineId(),
          application.getUser(),
          Integer.toString(application.getShuffles()));
    }
    return "leader "
        + cluster.getLeader()
        + ", term "
        + cluster.getTerm()
        + "\n\n"
        + ServerLines.table(cluster)
        + "\n"
        + applications;
  }
}
