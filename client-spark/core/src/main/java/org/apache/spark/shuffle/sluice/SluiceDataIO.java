package org.apache.spark.shuffle.sluice;

import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.shuffle.api.ShuffleDataIO;
import org.apache.spark.shuffle.api.ShuffleDriverComponents;
import org.apache.spark.shuffle.api.ShuffleExecutorComponents;
import org.apache.spark.shuffle.sort.io.LocalDiskShuffleDataIO;
import org.jspecify.annotations.Nullable;

/**
 * Tells Spark that map outputs outlive executors, which is what dynamic allocation and executor
 * loss go by, as long as no shuffle is local. All else is Spark's own local-disk plug-in, which
 * writes and reads those. {@link SluiceShuffleManager} names this class in Spark's configuration,
 * so users need not.
 */
public final class SluiceDataIO implements ShuffleDataIO {
  private final LocalDiskShuffleDataIO local;

  /** Called by Spark, reflectively. */
  public SluiceDataIO(SparkConf conf) {
    this.local = new LocalDiskShuffleDataIO(conf);
  }

  @Override
  public ShuffleExecutorComponents executor() {
    return local.executor();
  }

  @Override
  public ShuffleDriverComponents driver() {
    return new ReliableStorage(local.driver());
  }

  private static final class ReliableStorage implements ShuffleDriverComponents {
    private final ShuffleDriverComponents local;

    ReliableStorage(ShuffleDriverComponents local) {
      this.local = local;
    }

    @Override
    public Map<String, String> initializeApplication() {
      return local.initializeApplication();
    }

    @Override
    public void cleanupApplication() {
      local.cleanupApplication();
    }

    @Override
    public void registerShuffle(int shuffleId) {
      local.registerShuffle(shuffleId);
    }

    /** Asks all shuffle managers, the driver's included, to unregister the shuffle. */
    @Override
    public void removeShuffle(int shuffleId, boolean blocking) {
      SluiceShuffleManager manager = manager();
      if (manager == null || !manager.removeOnceCleaned(shuffleId, blocking, local)) {
        local.removeShuffle(shuffleId, blocking);
      }
    }

    /**
     * Whether no map output lies on an executor: Spark asks for all shuffles together, whenever it
     * loses an executor.
     */
    @Override
    public boolean supportsReliableStorage() {
      SluiceShuffleManager manager = manager();
      return manager == null || manager.routes().local() == 0;
    }

    /** Null if Spark is about to stop: then nothing is lost any more. */
    private static @Nullable SluiceShuffleManager manager() {
      SparkEnv env = SparkEnv.get();
      return env != null && env.shuffleManager() instanceof SluiceShuffleManager
          ? (SluiceShuffleManager) env.shuffleManager()
          : null;
    }
  }
}
