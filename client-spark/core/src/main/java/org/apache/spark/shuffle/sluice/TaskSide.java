package org.apache.spark.shuffle.sluice;

import io.sluice.client.placement.PlacementSource;
import io.sluice.client.placement.Placements;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.security.BlockKeys;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.package$;
import org.apache.spark.shuffle.sluice.codec.BlockCodecs;
import org.apache.spark.shuffle.sluice.config.SluiceConfig;
import org.apache.spark.shuffle.sluice.driver.EpochsEndpoint;
import org.apache.spark.shuffle.sluice.driver.MissingMapsEndpoint;
import org.apache.spark.shuffle.sluice.driver.ProspectsEndpoint;
import org.apache.spark.shuffle.sluice.driver.ReusedShufflesEndpoint;
import org.apache.spark.shuffle.sluice.handle.MissingMaps;
import org.apache.spark.shuffle.sluice.line.SparkLine;
import org.apache.spark.shuffle.sluice.read.ReduceReaders;
import org.apache.spark.shuffle.sluice.read.TaskAttempts;
import org.apache.spark.shuffle.sluice.spare.SpareCores;
import org.apache.spark.shuffle.sluice.store.DataPath;
import org.apache.spark.shuffle.sluice.store.ShufflePlaces;
import org.apache.spark.shuffle.sluice.write.MapWriters;
import org.apache.spark.shuffle.sluice.write.WriteLimits;
import org.jspecify.annotations.Nullable;
import scala.Option;

/**
 * What the tasks of one process share. Thread-safe; owns the process's connections, and the threads
 * that it lends to tasks.
 */
final class TaskSide implements AutoCloseable {
  private final ApplicationId application;
  private final Placements placements;
  private final DataPath path;
  private final MapWriters writers;
  private final ReduceReaders readers;

  private TaskSide(
      ApplicationId application,
      Placements placements,
      DataPath path,
      MapWriters writers,
      ReduceReaders readers) {
    this.application = application;
    this.placements = placements;
    this.path = path;
    this.writers = writers;
    this.readers = readers;
  }

  static TaskSide create(SparkConf conf, ShuffleBackend backend, SparkEnv env) {
    SluiceConfig config = SluiceConfig.of(conf, env.securityManager());
    SparkLine line = SparkLine.of(package$.MODULE$.SPARK_VERSION());
    BlockCodecs codecs = new BlockCodecs(conf);
    @Nullable BlockKeys keys = blockKeys(conf, env);
    PlacementSource epochs = EpochsEndpoint.connect(conf, env.rpcEnv());
    Placements placements = Placements.from(ProspectsEndpoint.connect(conf, env.rpcEnv(), epochs));
    MissingMaps.Listener driver = MissingMapsEndpoint.connect(conf, env.rpcEnv());
    ShufflePlaces places = new ShufflePlaces(ReusedShufflesEndpoint.connect(conf, env.rpcEnv()));
    WriteLimits limits = config.writeLimits(conf);
    SpareCores cores = SpareCores.of(conf);
    TaskAttempts attempts = TaskAttempts.of(conf);
    // Event loops begin here: after all that may fail, since every task would leave some otherwise.
    DataPath path = new DataPath(backend.store(config, placements), codecs, keys, cores);
    MapWriters writers =
        new MapWriters(line, path, places, limits, Runtime.getRuntime().availableProcessors());
    ReduceReaders readers =
        new ReduceReaders(line, path, places, env.mapOutputTracker(), driver, attempts);
    return new TaskSide(config.application(), placements, path, writers, readers);
  }

  /**
   * Keys from what Spark's driver gives to all executors for data that leaves memory; null if data
   * is not to be encrypted.
   */
  private static @Nullable BlockKeys blockKeys(SparkConf conf, SparkEnv env) {
    if (!conf.getBoolean("spark.io.encryption.enabled", false)) {
      return null;
    }
    Option<byte[]> key = env.securityManager().getIOEncryptionKey();
    if (key.isEmpty()) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          "spark.io.encryption.enabled is true here, and Spark's driver has given no key");
    }
    return BlockKeys.of(key.get());
  }

  MapWriters writers() {
    return writers;
  }

  ReduceReaders readers() {
    return readers;
  }

  /** A shuffle is over. */
  void forget(int shuffleId) {
    placements.forget(application, shuffleId);
  }

  @Override
  public void close() {
    path.close();
  }
}
