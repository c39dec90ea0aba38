package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.Survivors;
import io.sluice.client.inventory.StoredMaps;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.sluice.handle.MapLocation;
import org.apache.spark.storage.BlockManagerId;

/**
 * Which map outputs of a shuffle have blocks in a set of which too few members are left. An
 * output's blocks of a partition are in the newest epoch that named it when the attempt began, or
 * in one that came while it ran; its location says which those are, and, if there are several, at
 * which servers it has any: an attempt that went on elsewhere because a server died has lost
 * nothing with it. Nor has one that a server which is back without its memory has whole on its
 * disks. Used by one thread.
 */
final class LostBlocks {
  private final ShufflePlacement placement;
  private final BitSet lost = new BitSet();
  private final BitSet concerned = new BitSet();
  private final Salvaged salvaged;

  // Partitions lost to attempts with such a range of epochs (inverted where a majority was enough
  // for them) that have blocks at such lost servers; there are few of these.
  private final Map<Long, Map<BitSet, BitSet>> byRange = new HashMap<>();

  LostBlocks(ShufflePlacement placement, Predicate<PlacedServer> isLost) {
    this(placement, isLost, Map.of());
  }

  /**
   * @param onDisk what lost lives of servers had on their disks, which can be read
   */
  LostBlocks(
      ShufflePlacement placement,
      Predicate<PlacedServer> isLost,
      Map<PlacedServer, StoredMaps> onDisk) {
    this.placement = placement;
    this.salvaged = new Salvaged(placement, onDisk);
    for (int i = 0; i < placement.servers().size(); i++) {
      lost.set(i, isLost.test(placement.servers().get(i)));
    }
  }

  /** The locations, among those registered, of outputs that are not whole any more. */
  Set<BlockManagerId> among(MapStatus[] statuses) {
    Set<BlockManagerId> found = new HashSet<>();
    for (int map = 0; map < statuses.length; map++) {
      MapStatus status = statuses[map];
      if (status != null && MapLocation.isOurs(status.location()) && isLost(map, status)) {
        found.add(status.location());
      }
    }
    return found;
  }

  /** The lost servers that outputs found so far may have blocks at. */
  Set<PlacedServer> servers() {
    return concerned.stream().mapToObj(placement.servers()::get).collect(Collectors.toSet());
  }

  private boolean isLost(int map, MapStatus status) {
    BlockManagerId location = status.location();
    BitSet gone = salvaged.without(map, status, goneOf(location));
    if (gone.isEmpty()) {
      return false;
    }
    int first = MapLocation.firstEpoch(location);
    int last = Math.min(MapLocation.lastEpoch(location), placement.epochs() - 1);
    boolean majority = MapLocation.majorityEnough(location);
    long range = (long) first << 32 | last;
    BitSet partitions =
        byRange
            .computeIfAbsent(majority ? ~range : range, key -> new HashMap<>())
            .computeIfAbsent(gone, key -> lostPartitions(first, last, majority, gone));
    for (int p = partitions.nextSetBit(0); p >= 0; p = partitions.nextSetBit(p + 1)) {
      if (status.getSizeForBlock(p) > 0) {
        concerned.or(gone);
        return true;
      }
    }
    return false;
  }

  /** The lost servers that an output may have blocks at. */
  private BitSet goneOf(BlockManagerId location) {
    BitSet storedOn = MapLocation.storedOn(location);
    if (storedOn == null) {
      return lost;
    }
    storedOn.and(lost);
    return storedOn;
  }

  private BitSet lostPartitions(int first, int last, boolean majority, BitSet gone) {
    BitSet partitions = new BitSet();
    for (int p = 0; p < placement.partitions(); p++) {
      if (isLost(placement.epochOf(p, first), p, majority, gone)) {
        partitions.set(p);
      }
    }
    for (int epoch = first + 1; epoch <= last; epoch++) {
      for (int p = placement.nextNamed(epoch, 0);
          p < placement.partitions();
          p = placement.nextNamed(epoch, p + 1)) {
        if (isLost(epoch, p, majority, gone)) {
          partitions.set(p);
        }
      }
    }
    return partitions;
  }

  private boolean isLost(int epoch, int partition, boolean majority, BitSet gone) {
    int others = placement.replicas(epoch) - 1;
    int othersLeft = 0;
    for (int replica = 1; replica <= others; replica++) {
      if (!gone.get(placement.server(epoch, partition, replica))) {
        othersLeft++;
      }
    }
    boolean firstLeft = !gone.get(placement.server(epoch, partition, 0));
    return !Survivors.suffice(majority, others, firstLeft, othersLeft);
  }
}
