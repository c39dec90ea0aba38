package org.apache.spark.shuffle.sluice;

import io.sluice.client.control.EndListener;
import io.sluice.client.control.ServerListener;
import io.sluice.client.placement.Placements;
import org.apache.spark.shuffle.sluice.config.SluiceConfig;
import org.apache.spark.shuffle.sluice.driver.ShufflePlacements;
import org.apache.spark.shuffle.sluice.store.ShuffleStore;

/** What a manager talks to: a cluster of coordinators and servers, or a stand-in. Thread-safe. */
public interface ShuffleBackend {
  /**
   * Opens a driver's way to the coordinators; nothing is sent before the first shuffle.
   *
   * @param listener told what happens to servers
   * @param end told if the application is refused for good
   */
  ShufflePlacements placements(
      SluiceConfig config, String engineId, ServerListener listener, EndListener end);

  /** Opens a process's way to the servers; nothing is sent before the first task. */
  ShuffleStore store(SluiceConfig config, Placements placements);
}
