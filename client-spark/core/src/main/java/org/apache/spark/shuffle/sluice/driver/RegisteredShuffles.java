package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.FixedPlacement;
import org.apache.spark.ShuffleDependency;
import org.jspecify.annotations.Nullable;

/**
 * What the driver knows of each shuffle that is registered, until it is unregistered: where it
 * lies, whether a plan is left that knows it, and whether Spark has asked for its removal.
 * Thread-safe.
 */
public final class RegisteredShuffles {
  private final LiveShuffles placed;
  private final ShuffleDependencies dependencies;
  private final ShuffleRemovals removals;

  public RegisteredShuffles(
      LiveShuffles placed, ShuffleDependencies dependencies, ShuffleRemovals removals) {
    this.placed = placed;
    this.dependencies = dependencies;
    this.removals = removals;
  }

  /**
   * A shuffle is registered.
   *
   * @param placement where Sluice has it; null if it is local
   */
  public void add(
      int shuffleId, ShuffleDependency<?, ?, ?> dependency, @Nullable FixedPlacement placement) {
    dependencies.add(shuffleId, dependency);
    if (placement != null) {
      placed.add(placement);
    }
  }

  /** The newest placement of a shuffle; null if it is local, or gone. */
  public @Nullable FixedPlacement newest(int shuffleId) {
    return placed.newest(shuffleId);
  }

  /**
   * Spark asks for a removal, see {@link ShuffleRemovals#asked}.
   *
   * @return false if the shuffle is not on servers, and is to be removed at once
   */
  public boolean removeOnceCleaned(
      int shuffleId, boolean blocking, ShuffleRemovals.Removal removal) {
    if (placed.newest(shuffleId) == null) {
      return false;
    }
    removals.asked(shuffleId, blocking, removal);
    boolean stillThere = placed.newest(shuffleId) != null;
    if (!stillThere) { // Removed meanwhile: nobody may be left who forgets what was asked.
      removals.forget(shuffleId);
    }
    return stillThere;
  }

  /**
   * A shuffle is unregistered.
   *
   * @return its newest placement; null if it was local, or gone
   */
  public @Nullable FixedPlacement remove(int shuffleId) {
    FixedPlacement newest = placed.newest(shuffleId);
    placed.remove(shuffleId);
    dependencies.remove(shuffleId);
    // Behind the placement, see removeOnceCleaned.
    removals.forget(shuffleId);
    return newest;
  }
}
