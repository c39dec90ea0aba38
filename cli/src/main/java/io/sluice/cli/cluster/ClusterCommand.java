package io.sluice.cli.cluster;

import io.sluice.cli.ExitCode;
import io.sluice.cli.report.JsonObject;
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
    System.out.print(options.writeLines(() -> json(cluster), () -> table(cluster)));
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

  private static String json(GetClusterResponse cluster) {
    StringBuilder lines = new StringBuilder(ServerLines.json(cluster));
    for (ApplicationInfo application : cluster.getApplicationsList()) {
      lines
          .append(
              new JsonObject()
                  .put("application", ServerLines.id(application.getApplication()))
                  .put("engine_id", application.getEngineId())
                  .put("user", application.getUser())
                  .put("shuffles", application.getShuffles()))
          .append('\n');
    }
    return lines.toString();
  }
}
