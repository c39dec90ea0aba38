package io.sluice.coordinator.rest;

import io.sluice.common.id.ServerId;
import io.sluice.common.time.Clock;
import io.sluice.coordinator.cluster.Cluster;
import io.sluice.coordinator.leadership.Leadership;
import io.sluice.coordinator.membership.ServerState;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.coordinator.registry.ServerAddress;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** The cluster as a whole, and what happened in it. */
final class ClusterRoutes {
  /** 2^64 ÷ the golden ratio, odd: spreads ids that differ little. */
  private static final long MIXER = 0x9E3779B97F4A7C15L;

  /**
   * Below the 5 s that a coordinator waits for the leader's answer, and the 10 s that a request may
   * take over HTTP.
   */
  static final int WAIT_SECONDS = 4;

  private ClusterRoutes() {}

  static List<Route> routes(Leadership leadership, Clock clock) {
    return List.of(
        Route.get(
            "/api/v1/cluster", (cluster, call, names) -> overview(cluster, leadership, clock)),
        Route.getLater("/api/v1/events", ClusterRoutes::events, "limit", "after", "wait"));
  }

  private static Object overview(Cluster cluster, Leadership leadership, Clock clock) {
    Map<ServerState, Integer> states = new EnumMap<>(ServerState.class);
    for (ServerState state : ServerState.values()) {
      states.put(state, 0);
    }
    Totals totals = new Totals();
    for (ServerView server : cluster.servers()) {
      states.merge(server.state(), 1, Integer::sum);
      totals.add(server);
    }
    int shuffles = cluster.applications().stream().mapToInt(view -> view.shuffles()).sum();
    return new Overview(
        leadership.leader(),
        cluster.term(),
        states,
        cluster.applications().size(),
        shuffles,
        totals.memoryCapacity,
        totals.memoryUsed,
        totals.pushed,
        totals.fetched,
        totals.spilled,
        String.format(Locale.ROOT, "%016x", totals.lives),
        cluster.holdings().load(),
        cluster.events().last(),
        clock.wallTimeMillis(),
        drainsAway(cluster),
        coordinators(leadership));
  }

  private static List<CoordinatorJson> coordinators(Leadership leadership) {
    return leadership.coordinators().stream()
        .map(address -> new CoordinatorJson(address, address.equals(leadership.leader())))
        .toList();
  }

  private static List<String> drainsAway(Cluster cluster) {
    return cluster.decommissions().all().stream()
        .filter(id -> cluster.decommissions().server(id) == null)
        .map(ServerId::toString)
        .sorted()
        .toList();
  }

  /** Sums over servers that have not been given up. */
  private static final class Totals {
    private long memoryCapacity;
    private long memoryUsed;
    private long pushed;
    private long fetched;
    private long spilled;
    // Of whom the counters above are, whatever their order.
    private long lives;

    void add(ServerView server) {
      if (server.state() != ServerState.LOST) {
        memoryCapacity += server.load().memory().capacity();
        memoryUsed += server.load().memory().used();
        pushed += server.load().traffic().pushed();
        fetched += server.load().traffic().fetched();
        spilled += server.load().traffic().spilled();
        lives += server.hasReported() ? fingerprint(server.address()) : 0;
      }
    }

    private static long fingerprint(ServerAddress address) {
      long mixed = address.id().high() * MIXER;
      mixed = (mixed ^ (mixed >>> 32) ^ address.id().low()) * MIXER;
      mixed = (mixed ^ (mixed >>> 32) ^ address.incarnation()) * MIXER;
      return mixed ^ (mixed >>> 29);
    }
  }

  private static CompletionStage<Object> events(
      Cluster cluster, Call call, Map<String, String> names) {
    long after = call.number("after", 0, 0, Long.MAX_VALUE);
    int limit = call.limit();
    long wait = TimeUnit.SECONDS.toNanos(call.number("wait", 0, 0, WAIT_SECONDS));
    return cluster.events().await(after, wait).thenApply(now -> events(cluster, after, limit));
  }

  private static Events events(Cluster cluster, long after, int limit) {
    return new Events(
        cluster.term(),
        cluster.events().after(after, limit).stream()
            .map(
                event ->
                    new EventJson(
                        event.number(),
                        event.wallMillis(),
                        event.kind().name(),
                        event.subject(),
                        event.text()))
            .toList());
  }

  private record Overview(
      String leader,
      long term,
      Map<ServerState, Integer> servers,
      int applications,
      int shuffles,
      long memoryCapacityBytes,
      long memoryUsedBytes,
      long pushedBytes,
      long fetchedBytes,
      long spilledBytes,
      String countedLives,
      double load,
      long lastEvent,
      long atMillis,
      List<String> drainsAway,
      List<CoordinatorJson> coordinators) {}

  private record CoordinatorJson(String address, boolean leads) {}

  private record Events(long term, List<EventJson> events) {}

  private record EventJson(long number, long atMillis, String kind, String subject, String text) {}
}
