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
 * Which server is asked for which partitions: every server of every epoch that holds a partition of
 * which something is expected. A server gets one request from its lowest to its highest such
 * partition; what lies between on other servers it simply has nothing of.
 */
final class FetchPlan {
  private FetchPlan() {}

  static List<ServerFetch> of(ReadScope scope, Completeness wanted, ConnectionPool connections) {
    ShufflePlacement placement = scope.placement();
    Map<Integer, BitSet> byServer = new LinkedHashMap<>();
    for (int partition = scope.firstPartition(); partition < scope.endPartition(); partition++) {
      if (!wanted.isIncomplete(partition)) {
        continue;
      }
      for (int epoch = 0; epoch < placement.epochs(); epoch++) {
        byServer
            .computeIfAbsent(placement.server(epoch, partition, 0), server -> new BitSet())
            .set(partition - scope.firstPartition());
      }
    }
    List<PlacedServer> servers = placement.servers();
    List<ServerFetch> fetches = new ArrayList<>(byServer.size());
    byServer.forEach(
        (index, partitions) -> {
          PlacedServer server = servers.get(index);
          fetches.add(
              new ServerFetch(server, connections.get(server, placement.shuffle()), partitions));
        });
    return fetches;
  }
}
