package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.FixedPlacement;
import io.sluice.common.id.ServerId;
import java.util.Collection;

/** Where shuffles of this application are placed: the coordinator's word. Thread-safe. */
public interface ShufflePlacements extends AutoCloseable {
  /**
   * Places a shuffle; may register the application first, and so wait for the coordinator.
   *
   * @throws io.sluice.common.error.SluiceException if the coordinator refuses or cannot be reached
   */
  FixedPlacement place(int shuffleId, int partitions);

  /**
   * Gives a shuffle up. Unknown ones are ignored, and failures are only logged.
   *
   * @param servers that its epochs name, as far as they are known
   */
  void remove(int shuffleId, Collection<ServerId> servers);

  /** Ends the application. Never throws. */
  @Override
  void close();
}
