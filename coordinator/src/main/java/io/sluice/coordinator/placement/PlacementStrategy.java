package io.sluice.coordinator.placement;

import java.util.List;

/** Decides where partitions go. */
@FunctionalInterface
public interface PlacementStrategy {
  /**
   * @param candidates each server once; all of them may be used
   * @return replicas of one partition on different servers, and on different hosts where the
   *     candidates have enough of them
   * @throws io.sluice.common.error.SluiceException NO_SERVERS if there are fewer candidates than
   *     replicas
   */
  Placement place(PlacementRequest request, List<Candidate> candidates);
}
