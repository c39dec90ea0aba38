package io.sluice.simulation.scenario;

import io.sluice.simulation.cluster.ProcessFault;
import io.sluice.simulation.cluster.SimServer;
import io.sluice.simulation.cluster.World;
import io.sluice.simulation.disk.ServerDisk;
import io.sluice.simulation.network.Fault;
import io.sluice.simulation.network.SimNetwork;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What has gone wrong so far, to tell whether a failure is excused. Kept by those who do the wrong,
 * not by those who suffer it.
 *
 * @param network resets, silences and flipped bits
 * @param flips of bits among them
 * @param stalls of the network that last; several in a row can be longer than a deadline
 * @param halfOpen connections that have fallen silent earlier and have not been found out yet
 * @param disks faults of all disks
 * @param lives processes of servers started, and servers down or frozen now
 * @param pauses processes frozen, clocks that jumped, and control streams cut
 * @param control what befell coordinators, and wall clocks: no excuse for blocks that are missing
 */
record Misfortunes(
    int network,
    int flips,
    int stalls,
    int halfOpen,
    int disks,
    int lives,
    int pauses,
    int control) {
  /** Of disks: the others leave what was to be written in memory, or end the process. */
  private static final Set<ServerDisk.Fault> LOSING =
      EnumSet.of(ServerDisk.Fault.FAILED_READ, ServerDisk.Fault.ROT, ServerDisk.Fault.ZEROED_PAGES);

  static Misfortunes soFar(World world, List<SimServer> servers) {
    SimNetwork network = world.network();
    Map<ProcessFault, Integer> faults = world.faults();
    int struck =
        faults.getOrDefault(ProcessFault.FREEZE, 0)
            + faults.getOrDefault(ProcessFault.CLOCK_JUMP, 0);
    int control = sum(faults.values()) - struck;
    int pauses = struck;
    int disks = 0;
    int lives = 0;
    for (SimServer server : servers) {
      disks += ofDisks(server);
      lives += server.lives() + (server.isAway() ? 1 : 0);
      pauses += server.controlCuts();
    }
    int stalls = network.counts().getOrDefault(Fault.LONG_STALL, 0);
    return new Misfortunes(
        sum(network.counts().values()) - stalls,
        network.counts().getOrDefault(Fault.WIRE_FLIP, 0),
        stalls,
        network.halfOpen(),
        disks,
        lives,
        pauses,
        control);
  }

  /** What disks have done wrong, by kind. */
  static Map<ServerDisk.Fault, Integer> ofDisks(List<SimServer> servers) {
    Map<ServerDisk.Fault, Integer> counts = new EnumMap<>(ServerDisk.Fault.class);
    for (SimServer server : servers) {
      for (ServerDisk disk : server.disks()) {
        disk.counts().forEach((fault, count) -> counts.merge(fault, count, Integer::sum));
      }
    }
    return counts;
  }

  /** Whether a disk of a server may not have brought, or may not bring, what lies on it. */
  static boolean losesUnits(SimServer server) {
    return server.disks().stream()
        .anyMatch(disk -> disk.counts().keySet().stream().anyMatch(LOSING::contains));
  }

  private static int ofDisks(SimServer server) {
    int faults = 0;
    for (ServerDisk disk : server.disks()) {
      faults += sum(disk.counts().values());
    }
    return faults;
  }

  private static int sum(Iterable<Integer> counts) {
    int sum = 0;
    for (int count : counts) {
      sum += count;
    }
    return sum;
  }

  /**
   * Whether a server may have lost blocks, or readers may have failed to get them from it. One that
   * was stopped in order and is back has lost none.
   */
  static boolean excuse(SimServer server, int lossesAtPlacement) {
    return server.losses() != lossesAtPlacement || server.isAway() || ofDisks(server) > 0;
  }
}
