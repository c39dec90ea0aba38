package io.sluice.simulation.scenario;

import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.inventory.StoredMaps;
import io.sluice.common.error.SluiceException;
import io.sluice.simulation.cluster.SimServer;
import io.sluice.simulation.invariant.AttemptLog;
import io.sluice.simulation.invariant.Invariant;
import io.sluice.simulation.invariant.Violation;
import java.util.HashMap;
import java.util.Map;

/**
 * What servers say that they have whole on their disks, against what readers have not found there:
 * a driver would leave such maps alone, and readers trip over them one by one. Without replicas,
 * and where nothing befell the network, which has blocks sent twice: what is there twice may make
 * up for what is missing, and readers find that out.
 */
final class Claims {
  private final Job job;
  private final Stage stage;
  private final Map<PlacedServer, StoredMaps> asked = new HashMap<>();

  Claims(Job job, Stage stage) {
    this.job = job;
    this.stage = stage;
  }

  /** A reader has reported a map missing of which all servers concerned have answered. */
  void check(MissingMap map, AttemptLog winner) throws Exception {
    ShufflePlacement placement = job.application().driver().newest(stage.placement().shuffle());
    if (winner.firstEpoch() != winner.lastEpoch()) {
      return;
    }
    PlacedServer server = server(placement, winner, map.partition());
    if (Misfortunes.losesUnits(job.cluster().server(server))) {
      return;
    }
    int sent = 0;
    for (int p = 0; p < placement.partitions(); p++) {
      if (winner.nextBlock(p) > 0 && server(placement, winner, p).equals(server)) {
        sent++;
      }
    }
    Violation.unless(
        of(server).partitions(map.mapIndex(), map.attemptId()) != sent,
        Invariant.ONLY_WHAT_WAS_LOST_IS_MISSING,
        map + " is reported missing, and " + server + " says that it has all of it");
  }

  private static PlacedServer server(ShufflePlacement placement, AttemptLog winner, int p) {
    int epoch = placement.epochOf(p, winner.firstEpoch());
    return placement.servers().get(placement.server(epoch, p, 0));
  }

  private StoredMaps of(PlacedServer server) throws Exception {
    StoredMaps known = asked.get(server);
    if (known == null) {
      known = ask(server);
      asked.put(server, known);
    }
    return known;
  }

  private StoredMaps ask(PlacedServer server) throws Exception {
    SimServer running = job.cluster().server(server);
    PlacedServer now =
        new PlacedServer(server.id(), running.incarnation(), server.host(), server.port());
    try {
      return job.await(
          stage.readers().storedMaps(now, stage.placement().shuffle()).toCompletableFuture());
    } catch (SluiceException unknown) {
      return StoredMaps.NONE;
    }
  }
}
