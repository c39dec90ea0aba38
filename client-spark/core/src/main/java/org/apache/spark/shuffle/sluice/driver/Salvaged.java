package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.inventory.StoredMaps;
import io.sluice.common.id.ServerId;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.sluice.handle.MapLocation;

/**
 * Which map outputs are whole on the disks of servers that came back without their memory: those
 * that have as many partitions whole there as the output has in sets of that server. A server
 * cannot know that number, and the driver not what is on disks. All lives of a server count
 * together, since its disks have what any of them wrote.
 *
 * <p>Of an attempt that ran while the placement changed nobody knows which blocks of a partition
 * went to which epoch's set: it does not count as whole. Used by one thread.
 */
final class Salvaged {
  private final ShufflePlacement placement;
  private final Map<ServerId, StoredMaps> byServer = new HashMap<>();

  // The partitions of a server in an epoch, where both have been asked about.
  private final Map<ServerId, Map<Integer, BitSet>> partitions = new HashMap<>();

  Salvaged(ShufflePlacement placement, Map<PlacedServer, StoredMaps> onDisk) {
    this.placement = placement;
    onDisk.forEach(
        (server, maps) -> {
          if (maps.size() > 0) {
            byServer.put(server.id(), maps);
          }
        });
  }

  /**
   * The servers that an output has lost blocks at, among those that may be.
   *
   * @param gone lost servers; left as it is
   */
  BitSet without(int map, MapStatus status, BitSet gone) {
    int epoch = MapLocation.firstEpoch(status.location());
    boolean one = epoch == MapLocation.lastEpoch(status.location()) && epoch < placement.epochs();
    if (byServer.isEmpty() || gone.isEmpty() || !one) {
      return gone;
    }
    BitSet left = new BitSet();
    gone.stream().filter(server -> !isWhole(map, status, server, epoch)).forEach(left::set);
    return left;
  }

  private boolean isWhole(int map, MapStatus status, int server, int epoch) {
    ServerId id = placement.servers().get(server).id();
    StoredMaps maps = byServer.get(id);
    int stored = maps == null ? 0 : maps.partitions(map, status.mapId());
    return stored > 0 && stored == sent(status, id, epoch);
  }

  /** To how many partitions of a server an output has sent anything. */
  private int sent(MapStatus status, ServerId server, int epoch) {
    BitSet all =
        partitions
            .computeIfAbsent(server, key -> new HashMap<>())
            .computeIfAbsent(epoch, key -> partitionsOf(server, epoch));
    int sent = 0;
    for (int p = all.nextSetBit(0); p >= 0; p = all.nextSetBit(p + 1)) {
      sent += status.getSizeForBlock(p) > 0 ? 1 : 0;
    }
    return sent;
  }

  private BitSet partitionsOf(ServerId server, int epoch) {
    BitSet all = new BitSet();
    for (int p = 0; p < placement.partitions(); p++) {
      int named = placement.epochOf(p, epoch);
      for (int replica = 0; replica < placement.replicas(named); replica++) {
        PlacedServer member = placement.servers().get(placement.server(named, p, replica));
        if (member.id().equals(server)) {
          all.set(p);
        }
      }
    }
    return all;
  }
}
