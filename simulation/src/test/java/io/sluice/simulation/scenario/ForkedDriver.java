package io.sluice.simulation.scenario;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.placement.Complaint;
import io.sluice.client.placement.PlacementSource;
import io.sluice.client.placement.Whereabouts;
import io.sluice.common.id.ShuffleKey;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A driver whose epochs have no one history: who complains gets what it asked for, who only wants
 * to read gets as many epochs that move nothing.
 */
record ForkedDriver(PlacementSource honest) implements PlacementSource {
  @Override
  public CompletionStage<ShufflePlacement> atLeast(
      ShuffleKey shuffle, int epochs, List<Complaint> complaints) {
    CompletionStage<ShufflePlacement> answer = honest.atLeast(shuffle, epochs, complaints);
    return complaints.isEmpty() ? answer.thenApply(ForkedDriver::withoutMoves) : answer;
  }

  @Override
  public boolean hearsOfServers() {
    return honest.hearsOfServers();
  }

  @Override
  public CompletionStage<Whereabouts> whereabouts(PlacedServer server) {
    return honest.whereabouts(server);
  }

  private static ShufflePlacement withoutMoves(ShufflePlacement placement) {
    List<PlacedServer> servers = placement.servers();
    int[] first = new int[placement.partitions()];
    for (int partition = 0; partition < first.length; partition++) {
      first[partition] = placement.server(0, partition, 0);
    }
    FixedPlacement still = FixedPlacement.of(placement.shuffle(), first.length, servers, 1, first);
    while (still.epochs() < placement.epochs()) {
      still = still.withEpoch(servers, 1, first);
    }
    return still;
  }
}
