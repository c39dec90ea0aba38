package io.sluice.client.epoch;

import static java.util.Comparator.reverseOrder;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
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

/**
 * A newer epoch for a placement. Of each set that has a server which must be left, only that server
 * is replaced, by the one with the fewest partitions of the shuffle in relation to its weight,
 * apart from the others of the set if it can be (see {@link Standing}); the others stay, and come
 * first, since what they hold is worth keeping together. Where there are not enough servers for
 * sets as large as those of the first epoch, those sets are smaller: a shuffle that lost a replica
 * goes on. They grow again with the next epoch that is made while there are. All sets of an epoch
 * are of one size, so sets of several sizes are as many epochs.
 *
 * <p>A server that only has no room is left where another can take its place, and stays where none
 * can: pressure passes, and is no reason to have a copy less.
 *
 * <p>A partition that is large where it is goes through all servers in turn, so that it can be read
 * from all of them at once. That ends after three quarters of the epochs that a placement may have,
 * and so does growing for its own sake: the others are for servers that die, and blocks of a large
 * partition are taken where they are.
 *
 * <p>A set for which there is nobody stays as it is, and the others move all the same.
 *
 * <p>Costs the partitions of the shuffle once, and servers for each partition that moves: 20,000
 * partitions over 1,000 servers, of which one went, are 20 x 1,000 comparisons.
 */
public final class EpochMint {
  private static final int EPOCHS_WITHOUT_NEED = ShufflePlacement.MAX_EPOCHS / 4 * 3;

  private final FixedPlacement placement;
  private final int wanted;
  private final Dealer dealer;
  private final Set<PlacedServer> left = new HashSet<>();
  // Without room, for all partitions and for some.
  private final Set<PlacedServer> crowded = new HashSet<>();
  private final Map<Integer, Set<PlacedServer>> full = new HashMap<>();

  private EpochMint(FixedPlacement placement, List<LiveServer> live) {
    this.placement = placement;
    this.wanted = placement.replicas(0);
    this.dealer = new Dealer(live);
  }

  /**
   * A placement in which what is complained about lies elsewhere: with one epoch more, or with one
   * for each size of the sets that move.
   *
   * @param leave servers to leave as well, wherever they have anything
   * @param live servers to go to; those complained about are left out where they must be
   * @return the same placement if there is nothing to move
   * @throws SluiceException NO_SERVERS if something is to move and nothing can
   */
  public static FixedPlacement next(
      FixedPlacement placement,
      Collection<Complaint> complaints,
      Collection<PlacedServer> leave,
      List<LiveServer> live) {
    return new EpochMint(placement, live).leaving(leave).heeding(complaints).next();
  }

  /**
   * The same by what a book says of servers, which takes note of the complaints first.
   *
   * @throws SluiceException NO_SERVERS, with how the servers fare
   */
  public static FixedPlacement next(
      FixedPlacement placement, Collection<Complaint> complaints, ServerBook servers) {
    complaints.forEach(servers::report);
    try {
      return by(servers, placement).heeding(complaints).next();
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.NO_SERVERS) {
        throw e;
      }
      throw new SluiceException(e.code(), e.detail() + ": " + servers.census(), e);
    }
  }

  /**
   * A placement in which sets that are smaller than wanted have grown, if any can.
   *
   * @return the same placement if none is, or there is nobody to join one
   */
  public static FixedPlacement grown(FixedPlacement placement, ServerBook servers) {
    for (int epoch = 1; hasEpochsToSpare(placement) && epoch < placement.epochs(); epoch++) {
      if (placement.replicas(epoch) < placement.replicas(0)) {
        return by(servers, placement).grown();
      }
    }
    return placement;
  }

  private static boolean hasEpochsToSpare(FixedPlacement placement) {
    return placement.epochs() < EPOCHS_WITHOUT_NEED;
  }

  private static EpochMint by(ServerBook servers, FixedPlacement placement) {
    EpochMint mint = new EpochMint(placement, servers.live(placement.servers()));
    for (PlacedServer server : placement.servers()) {
      if (servers.isCrowded(server)) {
        mint.crowded.add(server);
      } else if (servers.isAway(server)) {
        mint.left.add(server);
      }
    }
    return mint;
  }

  private EpochMint leaving(Collection<PlacedServer> leave) {
    left.addAll(leave);
    return this;
  }

  private EpochMint heeding(Collection<Complaint> complaints) {
    for (Complaint complaint : complaints) {
      if (complaint.isOfServer()) {
        (complaint.isOfRoom() ? crowded : left).add(complaint.server());
      }
      int[] partitions = hasEpochsToSpare(placement) ? complaint.partitions() : new int[0];
      for (int partition : partitions) {
        full.computeIfAbsent(partition, p -> new HashSet<>()).add(complaint.server());
      }
    }
    return this;
  }

  private FixedPlacement next() {
    if (left.isEmpty() && crowded.isEmpty() && full.isEmpty()) {
      return placement;
    }
    Map<Integer, List<PlacedServer>> concerned = new TreeMap<>();
    Map<Integer, List<PlacedServer>> small = new TreeMap<>();
    sort(concerned, small);
    Map<Integer, List<PlacedServer>> moved = new TreeMap<>();
    concerned.forEach((partition, set) -> putIfOther(moved, partition, set));
    if (concerned.isEmpty()) {
      return placement;
    }
    if (moved.isEmpty()) {
      throw noServers(concerned.keySet().iterator().next());
    }
    small.forEach((partition, set) -> putIfOther(moved, partition, set));
    return with(moved);
  }

  private FixedPlacement grown() {
    Map<Integer, List<PlacedServer>> small = new TreeMap<>();
    sort(new TreeMap<>(), small);
    Map<Integer, List<PlacedServer>> moved = new TreeMap<>();
    small.forEach((partition, set) -> putIfOther(moved, partition, set));
    return with(moved);
  }

  /**
   * Counts what servers keep, and who must get nothing.
   *
   * @param concerned gets the sets that have members which must go, or should
   * @param small gets the others that are smaller than wanted
   */
  private void sort(
      Map<Integer, List<PlacedServer>> concerned, Map<Integer, List<PlacedServer>> small) {
    left.forEach(dealer::avoid);
    crowded.forEach(dealer::avoid);
    for (int partition = 0; partition < placement.partitions(); partition++) {
      Set<PlacedServer> fullHere = full.getOrDefault(partition, Set.of());
      List<PlacedServer> set = set(partition);
      boolean allStay = true;
      for (PlacedServer member : set) {
        if (mustGo(member) || shouldGo(member, fullHere)) {
          allStay = false;
        } else {
          dealer.dealt(member);
        }
      }
      if (!allStay) {
        concerned.put(partition, set);
      } else if (set.size() < wanted) {
        small.put(partition, set);
      }
    }
  }

  private List<PlacedServer> set(int partition) {
    int epoch = placement.epochOf(partition, placement.epochs() - 1);
    List<PlacedServer> set = new ArrayList<>();
    for (int replica = 0; replica < placement.replicas(epoch); replica++) {
      set.add(placement.servers().get(placement.server(epoch, partition, replica)));
    }
    return set;
  }

  private void putIfOther(
      Map<Integer, List<PlacedServer>> moved, int partition, List<PlacedServer> set) {
    List<PlacedServer> next = refilled(set, partition);
    if (!next.isEmpty() && !Set.copyOf(next).equals(Set.copyOf(set))) {
      moved.put(partition, next);
    }
  }

  /**
   * A set without those that must go, and with as many others in their place as there are; then
   * with those that should go.
   */
  private List<PlacedServer> refilled(List<PlacedServer> set, int partition) {
    Set<PlacedServer> fullHere = full.getOrDefault(partition, Set.of());
    List<PlacedServer> next = new ArrayList<>(set);
    next.removeIf(member -> mustGo(member) || shouldGo(member, fullHere));
    int size = Math.max(wanted, set.size());
    Map<ServerId, Integer> had = fullHere.isEmpty() ? Map.of() : had(partition);
    PlacedServer joins;
    while (next.size() < size && (joins = dealer.choose(next, fullHere, had)) != null) {
      next.add(joins);
      dealer.dealt(joins);
    }
    for (PlacedServer member : set) {
      boolean mayStay = shouldGo(member, fullHere) && !mustGo(member);
      if (mayStay && next.size() < size && !hasLifeOf(next, member)) {
        next.add(member);
        dealer.dealt(member);
      }
    }
    return next;
  }

  /** The latest epoch in which each server was given a partition. */
  private Map<ServerId, Integer> had(int partition) {
    Map<ServerId, Integer> had = new HashMap<>();
    for (int epoch = 0; epoch < placement.epochs(); epoch++) {
      boolean named = placement.nextNamed(epoch, partition) == partition;
      for (int replica = 0; named && replica < placement.replicas(epoch); replica++) {
        int server = placement.server(epoch, partition, replica);
        had.put(placement.servers().get(server).id(), epoch);
      }
    }
    return had;
  }

  private boolean mustGo(PlacedServer member) {
    return left.contains(member);
  }

  private boolean shouldGo(PlacedServer member, Set<PlacedServer> fullHere) {
    return crowded.contains(member) || fullHere.contains(member);
  }

  private static boolean hasLifeOf(List<PlacedServer> set, PlacedServer server) {
    return set.stream().anyMatch(member -> member.id().equals(server.id()));
  }

  private SluiceException noServers(int partition) {
    return new SluiceException(
        ErrorCode.NO_SERVERS,
        "of "
            + dealer.servers()
            + " servers none can take partition "
            + partition
            + " of shuffle "
            + placement.shuffle());
  }

  /** With an epoch for each size of sets. */
  private FixedPlacement with(Map<Integer, List<PlacedServer>> moved) {
    Map<Integer, Map<Integer, List<PlacedServer>>> bySize = new TreeMap<>(reverseOrder());
    moved.forEach(
        (partition, set) ->
            bySize.computeIfAbsent(set.size(), size -> new TreeMap<>()).put(partition, set));
    FixedPlacement next = placement;
    for (Map<Integer, List<PlacedServer>> sets : bySize.values()) {
      next = withEpoch(next, sets);
    }
    return next;
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
