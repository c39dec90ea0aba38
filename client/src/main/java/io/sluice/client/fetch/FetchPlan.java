package io.sluice.client.fetch;

import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.connection.ConnectionPool;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which server is asked for which partitions: every server of every epoch that may hold blocks of
 * winners in a partition of which something is expected. A server gets one request from its lowest
 * to its highest such partition; what lies between on other servers it simply has nothing of.
 */
final class FetchPlan {
  private final ReadScope scope;
  private final Completeness wanted;
  private final Map<Integer, BitSet> byServer = new LinkedHashMap<>();

  private FetchPlan(ReadScope scope, Completeness wanted) {
    this.scope = scope;
    this.wanted = wanted;
  }

  static List<ServerFetch> of(ReadScope scope, Completeness wanted, ConnectionPool connections) {
    ShufflePlacement placement = scope.placement();
    FetchPlan plan = new FetchPlan(scope, wanted);
    int firstEpoch = Math.min(scope.expected().firstEpoch(), placement.epochs() - 1);
    for (int partition = scope.firstPartition(); partition < scope.endPartition(); partition++) {
      plan.ask(placement.epochOf(partition, firstEpoch), partition);
    }
    for (int epoch = firstEpoch + 1; epoch < placement.epochs(); epoch++) {
      int partition = placement.nextNamed(epoch, scope.firstPartition());
      while (partition < scope.endPartition()) {
        plan.ask(epoch, partition);
        partition = placement.nextNamed(epoch, partition + 1);
      }
    }
    return plan.fetches(connections);
  }

  private void ask(int epoch, int partition) {
    if (wanted.isIncomplete(partition)) {
      byServer
          .computeIfAbsent(scope.placement().server(epoch, partition, 0), server -> new BitSet())
          .set(partition - scope.firstPartition());
    }
  }

  private List<ServerFetch> fetches(ConnectionPool connections) {
    List<PlacedServer> servers = scope.placement().servers();
    List<ServerFetch> fetches = new ArrayList<>(byServer.size());
    byServer.forEach(
        (index, partitions) -> {
          PlacedServer server = servers.get(index);
          fetches.add(
              new ServerFetch(server, connections.get(server, scope.shuffle()), partitions));
        });
    return fetches;
  }
}
