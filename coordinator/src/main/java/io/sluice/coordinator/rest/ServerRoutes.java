package io.sluice.coordinator.rest;

import io.sluice.common.id.ServerId;
import io.sluice.coordinator.cluster.Cluster;
import io.sluice.coordinator.cluster.ClusterEvent;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.coordinator.placement.FreeCapacity;
import io.sluice.coordinator.registry.ServerAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** Servers, and what operators want of them. */
final class ServerRoutes {
  private static final String ALL = "/api/v1/servers";
  private static final String ONE = ALL + "/{server}";
  private static final String DRAIN = ONE + "/drain";
  private static final String EXCLUSION = ONE + "/exclusion";

  private ServerRoutes() {}

  static List<Route> routes() {
    return List.of(
        Route.get(ALL, ServerRoutes::list, "limit", "after"),
        Route.get(ONE, ServerRoutes::show),
        Route.change("PUT", DRAIN, ServerRoutes::drain, "force"),
        Route.change("DELETE", DRAIN, (cluster, call, names) -> undrain(cluster, names)),
        Route.change("PUT", EXCLUSION, (cluster, call, names) -> exclude(cluster, names, true)),
        Route.change(
            "DELETE", EXCLUSION, (cluster, call, names) -> exclude(cluster, names, false)));
  }

  private static Object list(Cluster cluster, Call call, Map<String, String> names) {
    Set<ServerId> drains = cluster.decommissions().all();
    return Page.of(
        call,
        cluster.servers(),
        server -> server.address().id().toString(),
        Ids::key,
        server -> json(server, drains));
  }

  private static Object show(Cluster cluster, Call call, Map<String, String> names) {
    return json(known(cluster, Ids.server(names)), cluster.decommissions().all());
  }

  private static ServerView known(Cluster cluster, ServerId id) {
    ServerView view = cluster.decommissions().server(id);
    if (view == null) {
      throw RestException.notFound("no server " + id + " is known");
    }
    return view;
  }

  private static CompletionStage<Object> drain(
      Cluster cluster, Call call, Map<String, String> names) {
    ServerId id = Ids.server(names);
    if (!cluster.decommissions().all().contains(id)) {
      known(cluster, id);
    }
    CompletionStage<Void> kept =
        call.flag("force")
            ? cluster.decommissions().set(id, true)
            : cluster.decommissions().drain(id);
    return kept.thenApply(nothing -> noted(cluster, id, "is to be drained"));
  }

  private static CompletionStage<Object> undrain(Cluster cluster, Map<String, String> names) {
    ServerId id = Ids.server(names);
    return cluster
        .decommissions()
        .set(id, false)
        .thenApply(kept -> noted(cluster, id, "is to stay"));
  }

  private static CompletionStage<Object> exclude(
      Cluster cluster, Map<String, String> names, boolean begins) {
    ServerId id = Ids.server(names);
    if (begins && !cluster.exclusions().all().contains(id)) {
      known(cluster, id);
    }
    return cluster
        .exclusions()
        .set(id, begins)
        .thenApply(kept -> noted(cluster, id, begins ? "is excluded" : "is not excluded any more"));
  }

  private static Object noted(Cluster cluster, ServerId id, String what) {
    cluster.events().add(ClusterEvent.Kind.OPERATOR, id.toString(), "the server " + what);
    return RestApi.Done.DONE;
  }

  // ------------------------------------------------------------------------------------ views

  private static ServerJson json(ServerView server, Set<ServerId> drains) {
    ServerAddress address = server.address();
    return new ServerJson(
        address.id().toString(),
        server.state().name(),
        drains.contains(address.id()),
        server.drained(),
        server.excluded(),
        server.hasReported(),
        new Life(address.incarnation(), address.intactSince(), server.lostIncarnation()),
        new Where(
            address.host(), address.port(), address.grpcPort(), server.software().httpAddress()),
        server.software().version(),
        server.traits().place().zone(),
        server.traits().place().rack(),
        List.copyOf(server.traits().tags()),
        load(server));
  }

  private static Load load(ServerView server) {
    var load = server.load();
    return new Load(
        load.memory().capacity(),
        load.memory().used(),
        load.disks().stream()
            .map(
                disk ->
                    new Disk(
                        disk.path(),
                        disk.capacity(),
                        disk.free(),
                        disk.healthy(),
                        disk.fileSystem(),
                        disk.tier(),
                        disk.traffic().written(),
                        disk.traffic().read()))
            .toList(),
        load.traffic().connections(),
        load.traffic().partitions(),
        load.traffic().pushed(),
        load.traffic().fetched(),
        load.traffic().spilled(),
        FreeCapacity.of(load));
  }

  private record ServerJson(
      String id,
      String state,
      boolean draining,
      boolean drained,
      boolean excluded,
      boolean reported,
      Life life,
      Where address,
      String version,
      String zone,
      String rack,
      List<String> tags,
      Load load) {}

  private record Life(long incarnation, long intactSince, long lostIncarnation) {}

  private record Where(String host, int port, int grpcPort, String http) {}

  private record Load(
      long memoryCapacityBytes,
      long memoryUsedBytes,
      List<Disk> disks,
      long connections,
      long partitions,
      long pushedBytes,
      long fetchedBytes,
      long spilledBytes,
      long weight) {}

  private record Disk(
      String path,
      long capacityBytes,
      long freeBytes,
      boolean healthy,
      String fileSystem,
      String tier,
      long writtenBytes,
      long readBytes) {}
}
