package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import java.time.Duration;
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
   * The same for who waits for the coordinator no longer than this.
   *
   * @param atMost ignored where nobody is waited for
   */
  default FixedPlacement place(int shuffleId, int partitions, Duration atMost) {
    return place(shuffleId, partitions);
  }

  /**
   * Gives a shuffle up. Unknown ones are ignored, and failures are only logged.
   *
   * @param servers that its epochs name, as far as they are known
   */
  void remove(int shuffleId, Collection<ServerId> servers);

  /** The driver itself gives partitions of a shuffle to these servers. Does not block. */
  default void moved(ShuffleKey shuffle, Collection<PlacedServer> servers) {}

  /** Ends the application. Never throws. */
  @Override
  void close();
}
