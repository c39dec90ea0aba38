package io.sluice.client.epoch;

import static java.util.Comparator.reverseOrder;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.placement.Complaint;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A newer epoch for a placement. Of each set that has a server which must be left, only that server
 * is replaced, by the one with the fewest partitions of the shuffle in relation to its weight,
 * apart from the others of the set if it can be (see {@link Standing}); the others stay, and come
 * first, since what they hold is worth keeping together. Where there are not enough servers for
 * sets as large as those of the first epoch, those sets are smaller: a shuffle that lost a replica
 * goes on. They grow again when they have to move another time. All sets of an epoch are of one
 * size, so sets of several sizes are as many epochs.
 *
 * <p>Costs the partitions of the shuffle once, and servers for each partition that moves: 20,000
 * partitions over 1,000 servers, of which one went, are 20 x 1,000 comparisons.
 */
public final class EpochMint {
  private final FixedPlacement placement;
  private final List<LiveServer> live;
  private final Standing standing;

  // Partitions of the newest epochs, by server.
  private final Map<ServerId, Integer> load = new HashMap<>();

  private EpochMint(FixedPlacement placement, List<LiveServer> live) {
    this.placement = placement;
    this.live = live;
    this.standing = Standing.of(live);
  }

  /**
   * A placement in which what is complained about lies elsewhere: with one epoch more, or with one
   * for each size of the sets that move.
   *
   * @param leave servers to leave as well, wherever they have anything
   * @param live servers to go to; those complained about are left out where they must be
   * @return the same placement if there is nothing to move
   * @throws SluiceException NO_SERVERS if a set cannot be filled
   */
  public static FixedPlacement next(
      FixedPlacement placement,
      Collection<Complaint> complaints,
      Collection<PlacedServer> leave,
      List<LiveServer> live) {
    return new EpochMint(placement, live).next(complaints, leave);
  }

  /**
   * The same by what a book says of servers, which takes note of the complaints first.
   *
   * @throws SluiceException NO_SERVERS, with how the servers fare
   */
  public static FixedPlacement next(
      FixedPlacement placement, Collection<Complaint> complaints, ServerBook servers) {
    complaints.forEach(servers::report);
    List<PlacedServer> away =
        placement.servers().stream().filter(servers::isAway).collect(Collectors.toList());
    try {
      return next(placement, complaints, away, servers.live(placement.servers()));
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.NO_SERVERS) {
        throw e;
      }
      throw new SluiceException(e.code(), e.detail() + ": " + servers.census(), e);
    }
  }

  private FixedPlacement next(Collection<Complaint> complaints, Collection<PlacedServer> leave) {
    Set<PlacedServer> left = new HashSet<>(leave);
    Map<Integer, Set<PlacedServer>> full = new HashMap<>();
    for (Complaint complaint : complaints) {
      if (complaint.isOfServer()) {
        left.add(complaint.server());
      }
      for (int partition : complaint.partitions()) {
        full.computeIfAbsent(partition, p -> new HashSet<>()).add(complaint.server());
      }
    }
    Map<Integer, List<PlacedServer>> moved = new TreeMap<>();
    for (int partition = 0; partition < placement.partitions(); partition++) {
      List<PlacedServer> set = set(partition);
      Set<PlacedServer> gone = new HashSet<>(full.getOrDefault(partition, Set.of()));
      gone.addAll(left);
      if (set.stream().anyMatch(gone::contains)) {
        moved.put(partition, new ArrayList<>(set));
        set.removeIf(gone::contains);
      }
      set.forEach(server -> load.merge(server.id(), 1, Integer::sum));
    }
    if (moved.isEmpty()) {
      return placement;
    }
    Set<ServerId> leftIds = new HashSet<>();
    left.forEach(server -> leftIds.add(server.id()));
    Map<Integer, Map<Integer, List<PlacedServer>>> bySize = new TreeMap<>(reverseOrder());
    moved.forEach(
        (partition, set) -> {
          Set<PlacedServer> fullHere = full.getOrDefault(partition, Set.of());
          List<PlacedServer> next = refilled(set, partition, left, leftIds, fullHere);
          bySize.computeIfAbsent(next.size(), size -> new TreeMap<>()).put(partition, next);
        });
    FixedPlacement next = placement;
    for (Map<Integer, List<PlacedServer>> sets : bySize.values()) {
      next = withEpoch(next, sets);
    }
    return next;
  }

  private List<PlacedServer> set(int partition) {
    int epoch = placement.epochOf(partition, placement.epochs() - 1);
    List<PlacedServer> set = new ArrayList<>();
    for (int replica = 0; replica < placement.replicas(epoch); replica++) {
      set.add(placement.servers().get(placement.server(epoch, partition, replica)));
    }
    return set;
  }

  /** A set without those that must go, and with as many others in their place as there are. */
  private List<PlacedServer> refilled(
      List<PlacedServer> set,
      int partition,
      Set<PlacedServer> left,
      Set<ServerId> leftIds,
      Set<PlacedServer> full) {
    List<PlacedServer> next = new ArrayList<>();
    Set<ServerId> taken = new HashSet<>();
    Set<ServerId> fullIds = new HashSet<>();
    full.forEach(server -> fullIds.add(server.id()));
    int least = 0;
    for (PlacedServer server : set) {
      if (!left.contains(server) && !full.contains(server)) {
        next.add(server);
        taken.add(server.id());
      }
      // To be told that it is large is no reason to lose a replica.
      least += left.contains(server) ? 0 : 1;
    }
    int size = Math.max(placement.replicas(0), set.size());
    while (next.size() < size) {
      PlacedServer server = choose(next, taken, left, leftIds, fullIds);
      if (server == null) {
        break;
      }
      next.add(server);
      taken.add(server.id());
      load.merge(server.id(), 1, Integer::sum);
    }
    if (next.size() < Math.max(1, least)) {
      throw noServers(partition);
    }
    return next;
  }

  private SluiceException noServers(int partition) {
    return new SluiceException(
        ErrorCode.NO_SERVERS,
        "of "
            + live.size()
            + " servers none can take partition "
            + partition
            + " of shuffle "
            + placement.shuffle());
  }

  /**
   * The server with the least load for its weight, or null; a later life of one that is left will
   * do.
   */
  private @Nullable PlacedServer choose(
      List<PlacedServer> set,
      Set<ServerId> taken,
      Set<PlacedServer> left,
      Set<ServerId> leftIds,
      Set<ServerId> fullIds) {
    LiveServer best = null;
    double least = Double.MAX_VALUE;
    for (LiveServer candidate : live) {
      PlacedServer server = candidate.server();
      ServerId id = server.id();
      if (taken.contains(id)
          || fullIds.contains(id)
          || (leftIds.contains(id) && !isLaterLife(server, left))) {
        continue;
      }
      double share =
          (load.getOrDefault(id, 0) + 1.0) / candidate.weight() * standing.price(candidate, set);
      if (share < least || (share == least && best != null && precedes(id, best.server().id()))) {
        best = candidate;
        least = share;
      }
    }
    return best == null ? null : best.server();
  }

  private static boolean isLaterLife(PlacedServer server, Set<PlacedServer> left) {
    return left.stream()
        .noneMatch(
            gone -> gone.id().equals(server.id()) && gone.incarnation() >= server.incarnation());
  }

  /** Any order will do, as long as it does not depend on who registered first. */
  private static boolean precedes(ServerId one, ServerId other) {
    return one.high() != other.high() ? one.high() < other.high() : one.low() < other.low();
  }

  private static FixedPlacement withEpoch(
      FixedPlacement placement, Map<Integer, List<PlacedServer>> moved) {
    Map<PlacedServer, Integer> servers = new LinkedHashMap<>();
    int replicas = moved.values().iterator().next().size();
    int[] partitions = new int[moved.size()];
    int[] assignment = new int[moved.size() * replicas];
    int at = 0;
    for (Map.Entry<Integer, List<PlacedServer>> entry : moved.entrySet()) {
      partitions[at] = entry.getKey();
      for (int replica = 0; replica < replicas; replica++) {
        PlacedServer server = entry.getValue().get(replica);
        Integer known = servers.putIfAbsent(server, servers.size());
        assignment[at * replicas + replica] = known == null ? servers.size() - 1 : known;
      }
      at++;
    }
    return placement.withEpoch(partitions, new ArrayList<>(servers.keySet()), replicas, assignment);
  }
}
