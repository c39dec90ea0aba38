package io.sluice.simulation.scenario;

import io.sluice.client.ShufflePlacement;
import io.sluice.client.SluiceClient;
import io.sluice.simulation.invariant.AttemptLog;
import java.util.Map;
import java.util.TreeMap;

/**
 * One generation of the shuffle as the driver knows it.
 *
 * @param winners by map, as they become known
 */
record Stage(
    SluiceClient writers,
    SluiceClient readers,
    ShufflePlacement placement,
    Map<Integer, AttemptLog> winners) {
  static Stage of(SluiceClient writers, SluiceClient readers, ShufflePlacement placement) {
    return new Stage(writers, readers, placement, new TreeMap<>());
  }
}
