package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.epoch.ServerBook;
import io.sluice.client.inventory.StoredMaps;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.storage.BlockManagerId;

/**
 * What becomes of a shuffle's map outputs that are not safe without servers that have lost
 * something. Immutable.
 */
final class Verdict {
  private final Set<BlockManagerId> lost;

  // Those that are whole on the disks of servers that are back, as these say; and those of which
  // such servers have not said yet.
  private final int kept;
  private final int open;

  private Verdict(Set<BlockManagerId> lost, int kept, int open) {
    this.lost = lost;
    this.kept = kept;
    this.open = open;
  }

  /**
   * Asks servers that are back what they have, where that has not been done.
   *
   * @param salvage used by this thread
   * @param answered what is run when a server has said what it has that has not yet
   */
  static Verdict of(
      ShufflePlacement placement,
      MapStatus[] statuses,
      ServerBook servers,
      Salvage salvage,
      Runnable answered) {
    LostBlocks blocks = new LostBlocks(placement, servers::isLost);
    int concerned = blocks.among(statuses).size();
    if (concerned == 0) {
      return new Verdict(Set.of(), 0, 0);
    }
    Map<PlacedServer, StoredMaps> onDisk = new HashMap<>();
    Set<PlacedServer> asked = new HashSet<>();
    for (PlacedServer server : blocks.servers()) {
      StoredMaps maps = salvage.of(placement.shuffle(), server, answered);
      if (maps == null) {
        asked.add(server);
      } else {
        onDisk.put(server, maps);
      }
    }
    Set<BlockManagerId> notKept =
        new LostBlocks(placement, servers::isLost, onDisk).among(statuses);
    Set<BlockManagerId> lost = notKept;
    if (!asked.isEmpty()) {
      Predicate<PlacedServer> isLost = server -> servers.isLost(server) && !asked.contains(server);
      lost = new LostBlocks(placement, isLost, onDisk).among(statuses);
    }
    return new Verdict(lost, concerned - notKept.size(), notKept.size() - lost.size());
  }

  /**
   * Outputs that are lost for certain. What a server that is back may have on its disks is not,
   * before it has said so.
   */
  Set<BlockManagerId> lost() {
    return lost;
  }

  /** For the log: of map outputs as Spark counts them, one for each map. */
  @Override
  public String toString() {
    return "of "
        + (lost.size() + kept + open)
        + " map outputs that had blocks at servers which lost something, "
        + lost.size()
        + " are unregistered, and computed again for whoever reads them; "
        + kept
        + " are kept, since servers that are back say they have all blocks of them on their disks;"
        + " of "
        + open
        + " it is not known yet";
  }
}
