package io.sluice.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.proto.control.v1.ApplicationInfo;
import io.sluice.proto.control.v1.DiskLoad;
import io.sluice.proto.control.v1.GetClusterResponse;
import io.sluice.proto.control.v1.ServerAddress;
import io.sluice.proto.control.v1.ServerInfo;
import io.sluice.proto.control.v1.ServerLoad;
import io.sluice.proto.control.v1.ServerState;
import io.sluice.proto.control.v1.Uuid;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * A cluster as its leader knows it, asked for in parts: as one message 5,000 servers of 12 disks
 * each would be more than gRPC takes. What comes or goes between two parts is seen or not.
 */
public final class ClusterView {
  private ClusterView() {}

  /**
   * Servers and applications.
   *
   * @param channels how coordinators are reached
   * @param coordinators host:port of each; the leader need not be among them
   * @throws io.sluice.cli.CommandFailedException if none of them answers, with each one's reason
   */
  public static GetClusterResponse ask(CoordinatorChannels channels, List<String> coordinators) {
    return whole(new RestCalls(channels, coordinators, Duration.ZERO));
  }

  /** The same over given calls. */
  private static GetClusterResponse whole(RestCalls calls) {
    return whole(calls.get("/cluster"), calls);
  }

  /**
   * The same.
   *
   * @param overview what {@code /cluster} says
   */
  static GetClusterResponse whole(JsonNode overview, RestCalls calls) {
    GetClusterResponse.Builder cluster = servers(overview, calls).toBuilder();
    for (JsonNode application : calls.list("/applications", "")) {
      cluster.addApplications(
          ApplicationInfo.newBuilder()
              .setApplication(id(application.path("id")))
              .setEngineId(application.path("engine_id").asText())
              .setUser(application.path("user").asText())
              .setShuffles(application.path("shuffles").asInt()));
    }
    return cluster.build();
  }

  /** Who leads, the servers, and which are wanted empty, without applications. */
  static GetClusterResponse servers(RestCalls calls) {
    return servers(calls.get("/cluster"), calls);
  }

  private static GetClusterResponse servers(JsonNode overview, RestCalls calls) {
    GetClusterResponse.Builder cluster =
        GetClusterResponse.newBuilder()
            .setLeader(overview.path("leader").asText())
            .setTerm(overview.path("term").asLong());
    // Not said by coordinators of older versions.
    overview.path("drains_away").forEach(away -> cluster.addDecommissioned(id(away)));
    for (JsonNode server : calls.servers()) {
      cluster.addServers(server(server));
      if (server.path("draining").asBoolean()) {
        cluster.addDecommissioned(id(server.path("id")));
      }
    }
    return cluster.build();
  }

  private static ServerInfo server(JsonNode server) {
    JsonNode where = server.path("address");
    JsonNode life = server.path("life");
    ServerInfo.Builder info =
        ServerInfo.newBuilder()
            .setAddress(
                ServerAddress.newBuilder()
                    .setId(id(server.path("id")))
                    .setIncarnation(life.path("incarnation").asLong())
                    .setIntactSince(life.path("intact_since").asLong())
                    .setHost(where.path("host").asText())
                    .setPort(where.path("port").asInt())
                    .setGrpcPort(where.path("grpc_port").asInt()))
            .setState(state(server.path("state").asText()))
            .setVersion(server.path("version").asText())
            .setHttpAddress(where.path("http").asText())
            .setDrained(server.path("drained").asBoolean())
            .setExcluded(server.path("excluded").asBoolean())
            .setZone(server.path("zone").asText())
            .setRack(server.path("rack").asText());
    // Coordinators of older versions do not say.
    if (server.path("reported").asBoolean(true)) {
      info.setLoad(load(server.path("load")));
    }
    server.path("tags").forEach(tag -> info.addTags(tag.asText()));
    return info.build();
  }

  /** A newer coordinator may know others. */
  private static ServerState state(String name) {
    return Arrays.stream(ServerState.values())
        .filter(state -> state.name().equals(name))
        .findFirst()
        .orElse(ServerState.SERVER_STATE_UNSPECIFIED);
  }

  private static ServerLoad load(JsonNode load) {
    ServerLoad.Builder builder =
        ServerLoad.newBuilder()
            .setMemoryCapacityBytes(load.path("memory_capacity_bytes").asLong())
            .setMemoryUsedBytes(load.path("memory_used_bytes").asLong())
            .setConnections(load.path("connections").asLong())
            .setPartitions(load.path("partitions").asLong())
            .setBytesPushed(load.path("pushed_bytes").asLong())
            .setBytesFetched(load.path("fetched_bytes").asLong())
            .setBytesSpilled(load.path("spilled_bytes").asLong());
    for (JsonNode disk : load.path("disks")) {
      builder.addDisks(
          DiskLoad.newBuilder()
              .setPath(disk.path("path").asText())
              .setCapacityBytes(disk.path("capacity_bytes").asLong())
              .setFreeBytes(disk.path("free_bytes").asLong())
              .setHealthy(disk.path("healthy").asBoolean())
              .setFileSystem(disk.path("file_system").asText())
              .setTier(disk.path("tier").asText()));
    }
    return builder.build();
  }

  private static Uuid id(JsonNode text) {
    UUID id = UUID.fromString(text.asText());
    return Uuid.newBuilder()
        .setHigh(id.getMostSignificantBits())
        .setLow(id.getLeastSignificantBits())
        .build();
  }
}
