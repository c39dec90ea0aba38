package io.sluice.cli.cluster;

import io.sluice.cli.report.TextTable;
import io.sluice.cli.report.Units;
import io.sluice.proto.control.v1.GetClusterResponse;
import io.sluice.proto.control.v1.ServerInfo;
import io.sluice.proto.control.v1.ServerLoad;
import io.sluice.proto.control.v1.Uuid;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/** Servers as lines, for people. */
final class ServerLines {
  private ServerLines() {}

  /** All servers of a cluster, then those that are to stay empty and are away. */
  static String table(GetClusterResponse cluster) {
    TextTable servers =
        new TextTable(
            "SERVER",
            "STATE",
            "DECOMMISSION",
            "EXCLUDED",
            "ADDRESS",
            "PLACE",
            "HTTP",
            "MEMORY",
            "OF",
            "DISKS",
            "DISK FREE",
            "PARTITIONS",
            "CONNECTIONS");
    Set<Uuid> wanted = new HashSet<>(cluster.getDecommissionedList());
    for (ServerInfo server : cluster.getServersList()) {
      ServerLoad load = server.getLoad();
      DiskSpace disks = DiskSpace.of(load);
      servers.add(
          id(server.getAddress().getId()),
          server.getState().name(),
          decommission(server, wanted.remove(server.getAddress().getId())),
          server.getExcluded() ? "yes" : "",
          address(server),
          place(server),
          server.getHttpAddress(),
          heard(server, Units.bytes(load.getMemoryUsedBytes())),
          heard(server, Units.bytes(load.getMemoryCapacityBytes())),
          heard(server, disks.health()),
          heard(server, Units.bytes(disks.free())),
          heard(server, Long.toString(load.getPartitions())),
          heard(server, Long.toString(load.getConnections())));
    }
    for (Uuid away : wanted) {
      servers.add(id(away), "UNKNOWN", "wanted", "", "", "", "", "", "", "", "", "", "");
    }
    return servers.toString();
  }

  /** A leader that has just begun has not heard all servers yet. */
  private static String heard(ServerInfo server, String figure) {
    return server.hasLoad() ? figure : "?";
  }

  private static String decommission(ServerInfo server, boolean wanted) {
    if (!wanted) {
      return "";
    }
    return server.getDrained() ? "done" : "wanted";
  }

  /** One server's state as a sentence. */
  static String sentence(ServerInfo server) {
    return "server "
        + id(server.getAddress().getId())
        + " at "
        + address(server)
        + " is "
        + server.getState()
        + (server.getExcluded() ? ", excluded" : "")
        + (server.getDrained() ? " and empty" : partitions(server));
  }

  private static String partitions(ServerInfo server) {
    if (!server.hasLoad()) {
      return ", not heard of by this leader yet";
    }
    long count = server.getLoad().getPartitions();
    return ", holds " + (count == 1 ? "1 partition" : count + " partitions");
  }

  static String address(ServerInfo server) {
    return server.getAddress().getHost() + ":" + server.getAddress().getPort();
  }

  /** Zone and rack, with tags in brackets; empty if nobody has said anything. */
  private static String place(ServerInfo server) {
    String where = server.getZone() + (server.getRack().isEmpty() ? "" : "/" + server.getRack());
    String tags = server.getTagsCount() == 0 ? "" : server.getTagsList().toString();
    return where.isEmpty() || tags.isEmpty() ? where + tags : where + " " + tags;
  }

  static String id(Uuid id) {
    return new UUID(id.getHigh(), id.getLow()).toString();
  }
}
