package io.sluice.cli.cluster;

import io.sluice.cli.ExitCode;
import io.sluice.cli.report.JsonObject;
import io.sluice.cli.report.TextTable;
import io.sluice.cli.report.Units;
import io.sluice.proto.control.v1.ApplicationInfo;
import io.sluice.proto.control.v1.GetClusterResponse;
import io.sluice.proto.control.v1.ServerInfo;
import io.sluice.proto.control.v1.ServerLoad;
import io.sluice.proto.control.v1.Uuid;
import java.util.List;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice cluster status}. */
@Command(
    name = "cluster",
    mixinStandardHelpOptions = true,
    description = "Looks at a running cluster.")
public final class ClusterCommand {
  /** How the answer is written. */
  enum Format {
    /** For people. */
    table,
    /** One object a line: servers, then applications. */
    json
  }

  @Command(
      name = "status",
      mixinStandardHelpOptions = true,
      description = "Lists servers and applications.")
  int status(
      @Option(
              names = "--coordinator",
              split = ",",
              defaultValue = "localhost:7400",
              showDefaultValue = picocli.CommandLine.Help.Visibility.ALWAYS,
              description = "host:port of any coordinator; several with commas",
              paramLabel = "HOST:PORT")
          List<String> coordinators,
      @Option(
              names = "--format",
              defaultValue = "table",
              description = "one of: ${COMPLETION-CANDIDATES}",
              paramLabel = "FORMAT")
          Format format) {
    GetClusterResponse cluster = ClusterView.ask(coordinators);
    System.out.print(format == Format.json ? json(cluster) : table(cluster));
    return ExitCode.OK;
  }

  private static String table(GetClusterResponse cluster) {
    TextTable servers =
        new TextTable(
            "SERVER", "STATE", "ADDRESS", "HTTP", "MEMORY", "OF", "DISK FREE", "CONNECTIONS");
    for (ServerInfo server : cluster.getServersList()) {
      ServerLoad load = server.getLoad();
      servers.add(
          id(server.getAddress().getId()),
          server.getState().name(),
          address(server),
          server.getHttpAddress(),
          Units.bytes(load.getMemoryUsedBytes()),
          Units.bytes(load.getMemoryCapacityBytes()),
          Units.bytes(DiskSpace.of(load).free()),
          Long.toString(load.getConnections()));
    }
    TextTable applications = new TextTable("APPLICATION", "ENGINE ID", "USER", "SHUFFLES");
    for (ApplicationInfo application : cluster.getApplicationsList()) {
      applications.add(
          id(application.getApplication()),
          application.getEngineId(),
          application.getUser(),
          Integer.toString(application.getShuffles()));
    }
    return "leader "
        + cluster.getLeader()
        + ", term "
        + cluster.getTerm()
        + "\n\n"
        + servers
        + "\n"
        + applications;
  }

  private static String json(GetClusterResponse cluster) {
    StringBuilder lines = new StringBuilder();
    for (ServerInfo server : cluster.getServersList()) {
      ServerLoad load = server.getLoad();
      lines
          .append(
              new JsonObject()
                  .put("server", id(server.getAddress().getId()))
                  .put("incarnation", server.getAddress().getIncarnation())
                  .put("state", server.getState().name())
                  .put("address", address(server))
                  .put("http", server.getHttpAddress())
                  .put("memory_used_bytes", load.getMemoryUsedBytes())
                  .put("memory_capacity_bytes", load.getMemoryCapacityBytes())
                  .put("disk_capacity_bytes", DiskSpace.of(load).capacity())
                  .put("disk_free_bytes", DiskSpace.of(load).free())
                  .put("pushed_bytes", load.getBytesPushed())
                  .put("fetched_bytes", load.getBytesFetched())
                  .put("spilled_bytes", load.getBytesSpilled()))
          .append('\n');
    }
    for (ApplicationInfo application : cluster.getApplicationsList()) {
      lines
          .append(
              new JsonObject()
                  .put("application", id(application.getApplication()))
                  .put("engine_id", application.getEngineId())
                  .put("user", application.getUser())
                  .put("shuffles", application.getShuffles()))
          .append('\n');
    }
    return lines.toString();
  }

  private static String address(ServerInfo server) {
    return server.getAddress().getHost() + ":" + server.getAddress().getPort();
  }

  private static String id(Uuid id) {
    return new UUID(id.getHigh(), id.getLow()).toString();
  }
}
