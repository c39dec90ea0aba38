package org.apache.spark.shuffle.sluice;

import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.shuffle.sluice.config.SluiceConfig;
import org.apache.spark.shuffle.sluice.driver.MissingMapsEndpoint;
import org.apache.spark.shuffle.sluice.driver.ShufflePlacements;
import org.apache.spark.shuffle.sluice.handle.SluiceShuffleHandle;

/** What the driver does for all tasks. Thread-safe; owns the way to the coordinators. */
final class DriverSide implements AutoCloseable {
  private final ShufflePlacements placements;
  private final String codec;
  private final SparkEnv env;
  private final RpcEndpointRef missingMaps;

  private DriverSide(
      ShufflePlacements placements, String codec, SparkEnv env, RpcEndpointRef missingMaps) {
    this.placements = placements;
    this.codec = codec;
    this.env = env;
    this.missingMaps = missingMaps;
  }

  static DriverSide create(SparkConf conf, ShuffleBackend backend, SparkEnv env) {
    SluiceConfig config = SluiceConfig.of(conf);
    MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) env.mapOutputTracker();
    return new DriverSide(
        backend.placements(config, conf.getAppId()),
        config.codec(),
        env,
        MissingMapsEndpoint.listen(env.rpcEnv(), tracker));
  }

  <K, V, C> SluiceShuffleHandle<K, V, C> register(
      int shuffleId, ShuffleDependency<K, V, C> dependency) {
    int partitions = dependency.partitioner().numPartitions();
    return new SluiceShuffleHandle<>(
        shuffleId, dependency, placements.place(shuffleId, partitions), codec);
  }

  void unregister(int shuffleId) {
    placements.remove(shuffleId);
  }

  @Override
  public void close() {
    env.rpcEnv().stop(missingMaps);
    placements.close();
  }
}
