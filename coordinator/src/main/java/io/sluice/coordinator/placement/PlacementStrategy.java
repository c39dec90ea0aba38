package io.sluice.coordinator.placement;

import io.sluice.common.placement.PlacementStyle;
import java.util.List;

/** Decides where partitions go. Pure: the same arguments give the same answer. */
@FunctionalInterface
public interface PlacementStrategy {
  /**
   * @param candidates each server once, in any order; all of them may be used
   * @return replicas of one partition on different servers; on different hosts where the candidates
   *     have enough of them; in as many zones, and within a zone in as many racks, as it takes, but
   *     where that would overfill a small one
   * @throws io.sluice.common.error.SluiceException NO_SERVERS if there are fewer candidates than
   *     replicas
   */
  Placement place(PlacementRequest request, List<Candidate> candidates);

  /** The one of that name. */
  static PlacementStrategy of(PlacementStyle style) {
    PlacementStrategy balanced = new WeightedSweep();
    return switch (style) {
      case BALANCED -> balanced;
      case PACKED -> new Packed(balanced);
      case ZONE_LOCAL -> new ZoneLocal(balanced);
    };
  }
}
