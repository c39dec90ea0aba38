package io.sluice.coordinator.placement;

import io.sluice.coordinator.registry.ServerAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Puts a shuffle on few servers: one for each {@value #COPIES} copies of partitions, each on a host
 * of its own where there are enough.
 *
 * <p>{@value #COPIES}, because a frame of 256 KiB holds blocks of partitions of one server, and 64
 * blocks of 4 KiB fill it: on more servers a map of Spark's usual 200 partitions would send frames
 * that are mostly empty, over more connections.
 *
 * <p>The servers are one partition dealt out in so many copies, so each is chosen as often as its
 * weight says, over many shuffles; and those chosen get equal parts, since what they weigh has
 * counted already.
 */
final class Packed implements PlacementStrategy {
  static final int COPIES = 64;

  private final PlacementStrategy over;

  Packed(PlacementStrategy over) {
    this.over = over;
  }

  @Override
  public Placement place(PlacementRequest request, List<Candidate> candidates) {
    int servers = servers(request, candidates);
    if (servers >= candidates.size() || request.partitions() == 0) {
      return over.place(request, candidates);
    }
    Placement chosen =
        over.place(new PlacementRequest(1, servers, request.seed(), request.home()), candidates);
    Map<ServerAddress, Candidate> byAddress = new HashMap<>();
    candidates.forEach(candidate -> byAddress.put(candidate.address(), candidate));
    List<Candidate> few = new ArrayList<>();
    for (ServerAddress address : chosen.servers()) {
      Candidate candidate = byAddress.get(address);
      if (candidate != null) {
        few.add(candidate.weighing(1));
      }
    }
    return over.place(request, few);
  }

  private static int servers(PlacementRequest request, List<Candidate> candidates) {
    long copies = (long) request.partitions() * request.replicas();
    long wanted = Math.max(request.replicas(), (copies + COPIES - 1) / COPIES);
    long hosts = candidates.stream().map(one -> one.address().host()).distinct().count();
    // On two servers of one host some copies of a partition could meet.
    return (int) (hosts >= request.replicas() ? Math.min(wanted, hosts) : candidates.size());
  }
}
