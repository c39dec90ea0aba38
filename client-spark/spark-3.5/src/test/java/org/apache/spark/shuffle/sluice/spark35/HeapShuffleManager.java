package org.apache.spark.shuffle.sluice.spark35;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.shuffle.sluice.ShuffleBackend;
import org.apache.spark.shuffle.sluice.SluiceShuffleManager;
import org.apache.spark.shuffle.sluice.config.SluiceConfig;
import org.apache.spark.shuffle.sluice.driver.ShufflePlacements;
import org.apache.spark.shuffle.sluice.store.HeapShuffleStore;
import org.apache.spark.shuffle.sluice.store.ShuffleStore;

/** The real manager over servers in the heap, for Spark in one process. */
public final class HeapShuffleManager extends SluiceShuffleManager {
  private final HeapShuffleStore store;

  /** Called by Spark, reflectively. */
  public HeapShuffleManager(SparkConf conf, boolean isDriver) {
    this(conf, isDriver, new HeapShuffleStore());
  }

  private HeapShuffleManager(SparkConf conf, boolean isDriver, HeapShuffleStore store) {
    super(conf, isDriver, new HeapBackend(store));
    this.store = store;
  }

  static HeapShuffleStore currentStore() {
    return ((HeapShuffleManager) SparkEnv.get().shuffleManager()).store;
  }

  private record HeapBackend(HeapShuffleStore store) implements ShuffleBackend {
    @Override
    public ShufflePlacements placements(SluiceConfig config, String engineId) {
      return new HeapPlacements(config.application(), store);
    }

    @Override
    public ShuffleStore store(SluiceConfig config) {
      return store;
    }
  }

  private record HeapPlacements(ApplicationId application, HeapShuffleStore store)
      implements ShufflePlacements {
    @Override
    public ShufflePlacement place(int shuffleId, int partitions) {
      PlacedServer server = new PlacedServer(ServerId.of(0, 1), 1, "heap", 1);
      ShuffleKey key = new ShuffleKey(application, shuffleId, 0);
      return FixedPlacement.of(key, partitions, List.of(server), 1, new int[partitions]);
    }

    @Override
    public void remove(int shuffleId) {
      store.remove(new ShuffleKey(application, shuffleId, 0));
    }

    @Override
    public void close() {}
  }
}
