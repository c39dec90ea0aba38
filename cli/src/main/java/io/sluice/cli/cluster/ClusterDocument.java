package io.sluice.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.proto.control.v1.ApplicationInfo;
import io.sluice.proto.control.v1.GetClusterResponse;
import io.sluice.proto.control.v1.ServerInfo;
import io.sluice.proto.control.v1.ServerLoad;
import io.sluice.proto.control.v1.Uuid;
import java.util.HashSet;
import java.util.Set;

/** A cluster for programs: one object with what the tables show, and the counters besides. */
final class ClusterDocument {
  private ClusterDocument() {}

  /** Who leads and the servers, those included that are to stay empty and are away. */
  static ObjectNode servers(GetClusterResponse cluster) {
    ObjectNode all =
        RestCalls.object().put("leader", cluster.getLeader()).put("term", cluster.getTerm());
    ArrayNode servers = all.putArray("servers");
    Set<Uuid> wanted = new HashSet<>(cluster.getDecommissionedList());
    for (ServerInfo server : cluster.getServersList()) {
      boolean decommissioned = wanted.remove(server.getAddress().getId());
      servers.add(server(server).put("decommissioned", decommissioned));
    }
    for (Uuid away : wanted) {
      servers
          .addObject()
          .put("server", ServerLines.id(away))
          .put("state", "UNKNOWN")
          .put("decommissioned", true);
    }
    return all;
  }

  /**
   * The same with coordinators and applications.
   *
   * @param overview what {@code /cluster} says
   */
  static ObjectNode whole(GetClusterResponse cluster, JsonNode overview) {
    ObjectNode all = servers(cluster);
    // Leaders of older versions do not say it, which is not that nobody is there.
    if (overview.has("coordinators")) {
      ArrayNode coordinators = all.putArray("coordinators");
      for (JsonNode coordinator : overview.path("coordinators")) {
        coordinators
            .addObject()
            .put("address", coordinator.path("address").asText())
            .put("leads", coordinator.path("leads").asBoolean());
      }
    }
    ArrayNode applications = all.putArray("applications");
    for (ApplicationInfo application : cluster.getApplicationsList()) {
      applications
          .addObject()
          .put("application", ServerLines.id(application.getApplication()))
          .put("engine_id", application.getEngineId())
          .put("user", application.getUser())
          .put("shuffles", application.getShuffles());
    }
    return all;
  }

  /** One server. */
  static ObjectNode server(ServerInfo server) {
    ServerLoad load = server.getLoad();
    DiskSpace disks = DiskSpace.of(load);
    ObjectNode one =
        RestCalls.object()
            .put("server", ServerLines.id(server.getAddress().getId()))
            .put("incarnation", server.getAddress().getIncarnation())
            .put("intact_since", server.getAddress().getIntactSince())
            .put("state", server.getState().name())
            .put("drained", server.getDrained())
            .put("excluded", server.getExcluded())
            .put("address", ServerLines.address(server))
            .put("zone", server.getZone())
            .put("rack", server.getRack());
    ArrayNode tags = one.putArray("tags");
    server.getTagsList().forEach(tags::add);
    return one.put("http", server.getHttpAddress())
        .put("reported", server.hasLoad())
        .put("memory_used_bytes", load.getMemoryUsedBytes())
        .put("memory_capacity_bytes", load.getMemoryCapacityBytes())
        .put("disks", disks.disks())
        .put("disks_working", disks.working())
        .put("disk_capacity_bytes", disks.capacity())
        .put("disk_free_bytes", disks.free())
        .put("partitions", load.getPartitions())
        .put("connections", load.getConnections())
        .put("pushed_bytes", load.getBytesPushed())
        .put("fetched_bytes", load.getBytesFetched())
        .put("spilled_bytes", load.getBytesSpilled());
  }
}
