package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.inventory.StoredMaps;
import io.sluice.client.placement.Complaint;
import io.sluice.common.id.ServerId;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.sluice.handle.MapLocation;
import org.apache.spark.shuffle.sluice.handle.MissingMaps;
import org.apache.spark.storage.BlockManagerId;

/**
 * Which servers that came back without their memory are wrong about what they have: a reader did
 * not get from them, whole and undamaged, an output of which they say so, and which is registered
 * still. One that is not any more was reported before, or was never believed to be there; of one
 * that other servers hold, and of a server that did not answer the reader, a report says nothing.
 * Of each output a report names only the first partition that is missing: what is wrong with the
 * servers of later ones shows when that is not missing any more. Used by one thread.
 */
final class Disproof {
  private final ShufflePlacement placement;
  private final Map<PlacedServer, StoredMaps> told = new HashMap<>();

  Disproof(ShufflePlacement placement, Predicate<PlacedServer> isLost, Salvage salvage) {
    this.placement = placement;
    for (PlacedServer server : placement.servers()) {
      if (isLost.test(server)) {
        StoredMaps maps = salvage.told(placement.shuffle(), server);
        if (maps.size() > 0) {
          told.put(server, maps);
        }
      }
    }
  }

  /** Whether any server has told anything. */
  boolean isPossible() {
    return !told.isEmpty();
  }

  /**
   * The lives of those servers that the outputs had blocks at.
   *
   * @param statuses by map, as registered
   */
  Set<PlacedServer> by(MissingMaps missing, MapStatus[] statuses) {
    Set<PlacedServer> wrong = new HashSet<>();
    Set<ServerId> silent =
        missing.complaints().stream()
            .map(Complaint::server)
            .map(PlacedServer::id)
            .collect(Collectors.toSet());
    Salvaged salvaged = new Salvaged(placement, told);
    for (MissingMap one : missing.maps()) {
      MapStatus status = RegisteredOutput.statusOf(one, statuses);
      if (status == null) {
        continue;
      }
      BitSet asked = holders(status.location(), one.partition(), silent);
      BitSet whole = (BitSet) asked.clone();
      whole.andNot(salvaged.without(one.mapIndex(), status, asked));
      whole.stream().mapToObj(placement.servers()::get).forEach(wrong::add);
      if (wrong.size() == told.size()) {
        break;
      }
    }
    return wrong;
  }

  /** Those that have told anything, of the set that an output's blocks of a partition are in. */
  private BitSet holders(BlockManagerId location, int partition, Set<ServerId> silent) {
    BitSet holders = new BitSet();
    int epoch = MapLocation.isOurs(location) ? MapLocation.firstEpoch(location) : Integer.MAX_VALUE;
    if (epoch >= placement.epochs() || partition >= placement.partitions()) {
      return holders;
    }
    BitSet storedOn = MapLocation.storedOn(location);
    int named = placement.epochOf(partition, epoch);
    for (int replica = 0; replica < placement.replicas(named); replica++) {
      int server = placement.server(named, partition, replica);
      PlacedServer member = placement.servers().get(server);
      boolean stored = storedOn == null || storedOn.get(server);
      if (stored && told.containsKey(member) && !silent.contains(member.id())) {
        holders.set(server);
      }
    }
    return holders;
  }
}
