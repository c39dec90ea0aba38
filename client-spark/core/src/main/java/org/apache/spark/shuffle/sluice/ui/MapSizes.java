package org.apache.spark.shuffle.sluice.ui;

import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleStatus;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoute;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoutes;
import org.jspecify.annotations.Nullable;
import scala.Option;

/** Sizes of partitions as the driver's map statuses have them now. Thread-safe. */
final class MapSizes {
  private final MapOutputTrackerMaster tracker;
  private final ShuffleRoutes routes;

  MapSizes(MapOutputTrackerMaster tracker, ShuffleRoutes routes) {
    this.tracker = tracker;
    this.routes = routes;
  }

  /** What was seen of a shuffle. Immutable, but for the array, which is the caller's. */
  static final class Seen {
    /** By partition. */
    final long[] bytes;

    final PartitionSizes spread;

    private Seen(long[] bytes, PartitionSizes spread) {
      this.bytes = bytes;
      this.spread = spread;
    }
  }

  /** Null if the shuffle is gone, or no map of it has ended. */
  @Nullable Seen of(int shuffleId) {
    Option<ShuffleStatus> registered = tracker.shuffleStatuses().get(shuffleId);
    ShuffleRoute route = routes.registered(shuffleId);
    if (route == null || route.partitions() == 0 || registered.isEmpty()) {
      return null;
    }
    // Under Spark's lock no longer than it takes to copy the references.
    MapStatus[] all = registered.get().withMapStatuses(MapStatus[]::clone);
    int partitions = route.partitions();
    MapStatus[] chosen = PartitionSizes.chosen(all, partitions, PartitionSizes.LOOKUPS_MAX);
    if (chosen.length == 0) {
      return null;
    }
    int maps = PartitionSizes.known(all);
    long[] bytes = PartitionSizes.sum(chosen, maps, partitions);
    return new Seen(bytes, PartitionSizes.of(bytes, chosen.length, maps));
  }
}
