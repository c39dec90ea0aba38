package io.sluice.coordinator.placement;

import io.sluice.common.id.ServerId;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** How far apart the copies of every partition of a shuffle are, from nearest to furthest. */
public enum Apart {
  /** There is one copy. */
  SINGLE,
  /** On different servers, some of them on one host. */
  SERVER,
  /** On different hosts, some of them in one rack. */
  HOST,
  /** In different racks, some of them in one zone. */
  RACK,
  /** In different zones. */
  ZONE;

  /** Of the nearest two copies of a partition. */
  static Apart of(Placement placement, Collection<Candidate> candidates) {
    if (placement.replicas() == 1) {
      return SINGLE;
    }
    Map<ServerId, Candidate> byId = new HashMap<>();
    candidates.forEach(candidate -> byId.put(candidate.address().id(), candidate));
    Candidate[] servers =
        placement.servers().stream().map(server -> byId.get(server.id())).toArray(Candidate[]::new);
    Apart nearest = ZONE;
    int[] assignment = placement.assignment();
    for (int set = 0; set < assignment.length; set += placement.replicas()) {
      for (int one = set; one < set + placement.replicas(); one++) {
        for (int two = one + 1; two < set + placement.replicas(); two++) {
          Apart apart = between(servers[assignment[one]], servers[assignment[two]]);
          nearest = apart.compareTo(nearest) < 0 ? apart : nearest;
        }
      }
    }
    return nearest;
  }

  /** The furthest that so many copies could be, were it not for what servers have free. */
  public static Apart possible(int replicas, Collection<Candidate> candidates) {
    if (replicas == 1) {
      return SINGLE;
    }
    if (count(candidates, candidate -> candidate.place().zone()) >= replicas) {
      return ZONE;
    }
    if (count(candidates, Candidate::place) >= replicas) {
      return RACK;
    }
    return count(candidates, candidate -> candidate.address().host()) >= replicas ? HOST : SERVER;
  }

  private static long count(Collection<Candidate> candidates, Function<Candidate, Object> by) {
    return candidates.stream().map(by).distinct().count();
  }

  /** Between two servers; SINGLE between one and itself. */
  static Apart between(Candidate one, Candidate two) {
    if (one.address().id().equals(two.address().id())) {
      return SINGLE;
    }
    if (one.address().host().equals(two.address().host())) {
      return SERVER;
    }
    if (one.place().sharesRack(two.place())) {
      return HOST;
    }
    return one.place().sharesZone(two.place()) ? RACK : ZONE;
  }
}
