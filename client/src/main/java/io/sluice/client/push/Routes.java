package io.sluice.client.push;

import io.netty.util.collection.LongObjectHashMap;
import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.connection.ConnectionPool;
import io.sluice.client.placement.Placements;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which replica set a map output sends a partition to: the newest epoch it knows. A lane, once
 * made, stays for as long as the output, wherever later blocks go. On the task's thread.
 */
final class Routes {
  // A placement has at most 2^16 servers, a set three members.
  private static final int INDEX_BITS = 17;

  private final ConnectionPool connections;
  private final InFlight inFlight;
  private final Placements placements;
  private final Map<List<PlacedServer>, ServerLane> lanes = new LinkedHashMap<>();
  private final int firstEpoch;

  private ShufflePlacement placement;
  private List<PlacedServer> servers;

  // By the members' indices among the placement's servers, 17 bits each and one more than they are.
  private final LongObjectHashMap<ServerLane> bySet = new LongObjectHashMap<>();

  Routes(
      ShufflePlacement given,
      Placements placements,
      ConnectionPool connections,
      InFlight inFlight) {
    this.connections = connections;
    this.inFlight = inFlight;
    this.placements = placements;
    this.placement = placements.newest(given);
    this.firstEpoch = placement.epochs() - 1;
    this.servers = placement.servers();
  }

  ShufflePlacement placement() {
    return placement;
  }

  int epochs() {
    return placement.epochs();
  }

  /** The newest epoch when the output began. */
  int firstEpoch() {
    return firstEpoch;
  }

  /** Goes by a newer placement from here on. */
  void take(ShufflePlacement newer) {
    placement = newer;
    servers = newer.servers();
    bySet.clear();
  }

  /**
   * Goes by the newest placement that the process knows.
   *
   * @return whether it is another one than before
   */
  boolean refresh() {
    ShufflePlacement newest = placements.newest(placement);
    if (newest.epochs() == placement.epochs()) {
      return false;
    }
    take(newest);
    return true;
  }

  /** The newest epoch that names a partition. */
  int epochOf(int partition) {
    return placement.epochOf(partition, placement.epochs() - 1);
  }

  ServerLane lane(int partition) {
    int epoch = epochOf(partition);
    int replicas = placement.replicas(epoch);
    long set = 0;
    for (int replica = 0; replica < replicas; replica++) {
      set = set << INDEX_BITS | (placement.server(epoch, partition, replica) + 1);
    }
    ServerLane lane = bySet.get(set);
    if (lane == null) {
      List<PlacedServer> members = new ArrayList<>(replicas);
      for (int replica = 0; replica < replicas; replica++) {
        members.add(servers.get(placement.server(epoch, partition, replica)));
      }
      lane = lanes.computeIfAbsent(members, this::open);
      bySet.put(set, lane);
    }
    return lane;
  }

  private ServerLane open(List<PlacedServer> members) {
    return new ServerLane(
        placement,
        placements,
        members,
        connections.get(members.get(0), placement.shuffle()),
        inFlight);
  }

  /** The members of all sets that stored anything, by their positions among the servers. */
  BitSet storedOn() {
    Set<PlacedServer> holders = new HashSet<>();
    for (ServerLane lane : lanes.values()) {
      if (lane.hasStored()) {
        holders.addAll(lane.members());
      }
    }
    BitSet positions = new BitSet();
    for (int i = 0; i < servers.size(); i++) {
      if (holders.contains(servers.get(i))) {
        positions.set(i);
      }
    }
    return positions;
  }

  /** Every lane there ever was. */
  Collection<ServerLane> lanes() {
    return lanes.values();
  }
}
