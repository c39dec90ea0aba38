package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Gives shuffles their places, or none, notes which, and gives places back. Thread-safe. */
public final class ShuffleRouting {
  private final ShufflePlacements placements;
  private final Fallback fallback;
  private final ShuffleRoutes routes;

  /**
   * @param placements stay the caller's
   * @param fallback of the same placements
   * @param routes told which way each shuffle goes
   */
  public ShuffleRouting(ShufflePlacements placements, Fallback fallback, ShuffleRoutes routes) {
    this.placements = placements;
    this.fallback = fallback;
    this.routes = routes;
  }

  /**
   * Decides about a new shuffle.
   *
   * @return where Sluice has it; null if it is local
   * @throws io.sluice.common.error.SluiceException if it can go neither way
   */
  public @Nullable FixedPlacement place(int shuffleId, int partitions) {
    Fallback.Decision decision = fallback.decide(shuffleId, partitions);
    routes.add(decision.route());
    return decision.placement();
  }

  /**
   * A shuffle is over.
   *
   * @param newest where it was; null if it was local
   */
  public void remove(int shuffleId, @Nullable FixedPlacement newest) {
    placements.remove(
        shuffleId,
        newest == null
            ? List.of()
            : newest.servers().stream().map(PlacedServer::id).collect(Collectors.toSet()));
  }
}
