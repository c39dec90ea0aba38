package io.sluice.coordinator.placement;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Puts all shuffles of an application into one zone: its own, or if it does not say or that zone
 * has too few servers, one that all of its shuffles share, by weighted rendezvous hashing: so zones
 * get applications by what they have free, and an application rarely changes its zone while that
 * changes. If no zone has servers enough, zones do not matter.
 */
final class ZoneLocal implements PlacementStrategy {
  private final PlacementStrategy over;

  ZoneLocal(PlacementStrategy over) {
    this.over = over;
  }

  @Override
  public Placement place(PlacementRequest request, List<Candidate> candidates) {
    Map<String, List<Candidate>> zones =
        candidates.stream()
            .collect(
                Collectors.groupingBy(
                    candidate -> candidate.place().zone(), TreeMap::new, Collectors.toList()));
    zones.values().removeIf(zone -> zone.size() < request.replicas());
    List<Candidate> own = zones.get(request.home().zone());
    if (own != null && !request.home().zone().isEmpty()) {
      return over.place(request, own);
    }
    List<Candidate> best = candidates;
    double highest = Double.NEGATIVE_INFINITY;
    for (Map.Entry<String, List<Candidate>> zone : zones.entrySet()) {
      double score = score(zone.getKey(), zone.getValue(), request.home().seed());
      if (score > highest) {
        highest = score;
        best = zone.getValue();
      }
    }
    return over.place(request, best);
  }

  /** Of two zones, the higher one with a probability in proportion to their weights. */
  private static double score(String zone, List<Candidate> servers, long seed) {
    double weight = servers.stream().mapToDouble(Candidate::weight).sum();
    double uniform = new SplittableRandom(seed * 31 + zone.hashCode()).nextDouble();
    return -weight / Math.log(Math.max(Double.MIN_NORMAL, uniform));
  }
}
