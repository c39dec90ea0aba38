package io.sluice.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.ExitCode;
import io.sluice.cli.report.TextTable;
import io.sluice.proto.control.v1.ApplicationInfo;
import io.sluice.proto.control.v1.GetClusterResponse;
import java.util.StringJoiner;
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
      description = "Lists coordinators, servers and applications.")
  int status(@Mixin ClusterOptions options) {
    RestCalls calls = options.calls();
    JsonNode overview = calls.get("/cluster");
    GetClusterResponse cluster = ClusterView.whole(overview, calls);
    System.out.print(
        options.write(
            ClusterDocument.whole(cluster, overview),
            () -> heading(cluster, overview) + table(cluster)));
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
    return ServerLines.table(cluster) + "\n" + applications;
  }

  private static String heading(GetClusterResponse cluster, JsonNode overview) {
    String leader = "leader " + cluster.getLeader() + ", term " + cluster.getTerm() + "\n";
    StringJoiner there = new StringJoiner(", ", "coordinators ", "\n").setEmptyValue("");
    // Not said by coordinators of older versions.
    overview.path("coordinators").forEach(one -> there.add(one.path("address").asText()));
    return leader + there + "\n";
  }
}
