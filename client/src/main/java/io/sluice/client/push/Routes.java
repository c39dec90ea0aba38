package io.sluice.client.push;

import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.connection.ConnectionPool;
import io.sluice.client.placement.Placements;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which server a map output sends a partition to: the newest epoch it knows. A lane, once made,
 * stays for as long as the output, wherever later blocks go. On the task's thread.
 */
final class Routes {
  private final ConnectionPool connections;
  private final InFlight inFlight;
  private final Placements placements;
  private final Map<PlacedServer, ServerLane> lanes = new LinkedHashMap<>();
  private final int firstEpoch;

  private ShufflePlacement placement;
  private List<PlacedServer> servers;

  // By index of the placement's servers.
  private @Nullable ServerLane[] byServer;

  /**
   * @throws SluiceException INVALID_ARGUMENT if the placement has replicas, which are not supported
   *     yet
   */
  Routes(
      ShufflePlacement given,
      Placements placements,
      ConnectionPool connections,
      InFlight inFlight) {
    this.connections = connections;
    this.inFlight = inFlight;
    this.placements = placements;
    this.placement = checked(placements.newest(given));
    this.firstEpoch = placement.epochs() - 1;
    this.servers = placement.servers();
    this.byServer = new ServerLane[servers.size()];
  }

  private static ShufflePlacement checked(ShufflePlacement placement) {
    int replicas = placement.replicas(placement.epochs() - 1);
    if (replicas != 1) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "shuffle "
              + placement.shuffle()
              + " has "
              + replicas
              + " replicas; this client writes one");
    }
    return placement;
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
    placement = checked(newer);
    servers = newer.servers();
    byServer = new ServerLane[servers.size()];
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
    int index = placement.server(epochOf(partition), partition, 0);
    ServerLane lane = byServer[index];
    if (lane == null) {
      lane = lanes.computeIfAbsent(servers.get(index), this::open);
      byServer[index] = lane;
    }
    return lane;
  }

  private ServerLane open(PlacedServer server) {
    return new ServerLane(
        placement.shuffle(),
        server,
        connections.get(server, placement.shuffle()),
        inFlight,
        placements.canChange());
  }

  /** Every lane there ever was. */
  Collection<ServerLane> lanes() {
    return lanes.values();
  }
}
