package org.apache.spark.shuffle.sluice;

import io.sluice.client.FixedPlacement;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.package$;
import org.apache.spark.shuffle.ShuffleHandle;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.ShuffleWriter;
import org.apache.spark.shuffle.api.ShuffleDriverComponents;
import org.apache.spark.shuffle.sluice.config.DriverSettings;
import org.apache.spark.shuffle.sluice.config.ExecutorJar;
import org.apache.spark.shuffle.sluice.config.FallbackPolicy;
import org.apache.spark.shuffle.sluice.config.SluiceConfig;
import org.apache.spark.shuffle.sluice.driver.PlannedShuffles;
import org.apache.spark.shuffle.sluice.driver.RouteMetrics;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoute;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoute.Why;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoutes;
import org.apache.spark.shuffle.sluice.handle.HandleOrigin;
import org.apache.spark.shuffle.sluice.handle.SluiceShuffleHandle;
import org.apache.spark.shuffle.sluice.line.SparkLine;
import org.apache.spark.shuffle.sluice.store.ReadRange;
import org.apache.spark.shuffle.sluice.ui.ApplicationFacts;
import org.apache.spark.shuffle.sluice.ui.ShuffleTab;
import org.apache.spark.shuffle.sort.SortShuffleManager;
import org.jspecify.annotations.Nullable;

/**
 * Spark's way into Sluice: {@code
 * spark.shuffle.manager=org.apache.spark.shuffle.sluice.SluiceShuffleManager}.
 *
 * <p>It extends Spark's own manager, because Spark SQL spares itself the copy of every row only for
 * that one, and casts its block resolver; and because that one serves the shuffles that do not go
 * through Sluice, which their handles say (docs/spark-fallback.md). Spark makes it before there is
 * a {@link SparkEnv}, so the constructor only checks and completes the configuration; connections
 * are made when the first shuffle is registered (driver) or the first task runs (executor).
 * Thread-safe.
 */
public class SluiceShuffleManager extends SortShuffleManager {
  private static final String AS_CONFIGURED = "spark.sluice.fallback is always";

  private final SparkConf conf;
  private final boolean isDriver;
  private final ShuffleBackend backend;
  private final FallbackPolicy fallback;
  private final ShuffleRoutes routes = new ShuffleRoutes();

  // Guarded by this; made on first use.
  private @Nullable DriverSide driverSide;
  private @Nullable TaskSide taskSide;
  private @Nullable PlannedShuffles planned; // Where all are local, instead of a driver's side.
  private @Nullable ShuffleTab tab;
  private boolean stopped;

  /**
   * Called by Spark, reflectively.
   *
   * @param isDriver whether this is the driver's manager, which shapes the configuration of all
   */
  public SluiceShuffleManager(SparkConf conf, boolean isDriver) {
    this(conf, isDriver, new ClusterBackend());
  }

  /**
   * For managers over another backend.
   *
   * @param isDriver whether this is the driver's manager, which shapes the configuration of all
   */
  protected SluiceShuffleManager(SparkConf conf, boolean isDriver, ShuffleBackend backend) {
    super(conf);
    this.conf = conf;
    this.isDriver = isDriver;
    this.backend = backend;
    // Complains about all entries at once, and before any task has failed.
    this.fallback = SluiceConfig.of(conf).fallback();
    if (isDriver) {
      String version = package$.MODULE$.SPARK_VERSION();
      ExecutorJar.check(conf, version, SluiceShuffleManager.class);
      SparkLine.of(version); // here, and not in every task, it is said what this jar does not serve
      DriverSettings.apply(conf, fallback);
    }
  }

  @Override
  public <K, V, C> ShuffleHandle registerShuffle(
      int shuffleId, ShuffleDependency<K, V, C> dependency) {
    ShuffleTab shown = tab(dependency.rdd().sparkContext());
    @Nullable SluiceShuffleHandle<K, V, C> ours = null;
    if (fallback == FallbackPolicy.ALWAYS) {
      int partitions = dependency.partitioner().numPartitions();
      planned().add(shuffleId, dependency);
      routes.add(ShuffleRoute.local(shuffleId, partitions, Why.ALWAYS, AS_CONFIGURED));
    } else {
      ours = place(shuffleId, dependency, shown);
    }
    shown.registered(shuffleId, ours == null);
    return ours == null ? super.registerShuffle(shuffleId, dependency) : ours;
  }

  /**
   * Interrupts come out as they are, undeclared, as from any code of Scala's: whoever stops a
   * streaming query interrupts its thread, and takes any other exception for a failure of the
   * query.
   */
  private <K, V, C> @Nullable SluiceShuffleHandle<K, V, C> place(
      int shuffleId, ShuffleDependency<K, V, C> dependency, ShuffleTab shown) {
    try {
      SparkContext context = dependency.rdd().sparkContext();
      return driverSide(context, shown).register(shuffleId, dependency);
    } catch (InterruptedException e) {
      SluiceShuffleManager.<RuntimeException>throwAs(e);
      throw new IllegalStateException("thrown before", e);
    }
  }

  @SuppressWarnings("unchecked")
  private static <E extends Exception> void throwAs(Exception undeclared) throws E {
    throw (E) undeclared;
  }

  /** Shows {@link #routes} among Spark's metrics and in its UI, with the first shuffle. */
  private synchronized ShuffleTab tab(SparkContext context) {
    ShuffleTab shown = tab;
    if (shown == null) {
      SparkEnv env = SparkEnv.get();
      env.metricsSystem().registerSource(new RouteMetrics(routes));
      shown = ShuffleTab.attach(context, env, this::facts, routes, this::newest);
      tab = shown;
    }
    return shown;
  }

  private ApplicationFacts facts() {
    return ApplicationFacts.of(SluiceConfig.of(conf), ClusterBackend.version());
  }

  private synchronized @Nullable FixedPlacement newest(int shuffleId) {
    return driverSide == null ? null : driverSide.newest(shuffleId);
  }

  /** The ways that shuffles went; on the driver. */
  public final ShuffleRoutes routes() {
    return routes;
  }

  @Override
  public <K, V> ShuffleWriter<K, V> getWriter(
      ShuffleHandle handle, long mapId, TaskContext context, ShuffleWriteMetricsReporter metrics) {
    if (!HandleOrigin.isOurs(handle)) {
      return super.getWriter(handle, mapId, context, metrics);
    }
    SluiceShuffleHandle<K, V, ?> ours = ours(handle);
    return taskSide().writers().open(ours, mapId, context, metrics);
  }

  @Override
  public <K, C> ShuffleReader<K, C> getReader(
      ShuffleHandle handle,
      int startMapIndex,
      int endMapIndex,
      int startPartition,
      int endPartition,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    if (!HandleOrigin.isOurs(handle)) {
      return super.getReader(
          handle, startMapIndex, endMapIndex, startPartition, endPartition, context, metrics);
    }
    SluiceShuffleHandle<K, ?, C> ours = ours(handle);
    ReadRange range = new ReadRange(startPartition, endPartition, startMapIndex, endMapIndex);
    return taskSide().readers().open(ours, range, context, metrics);
  }

  /** Handles come from {@link #registerShuffle} alone, and types from their dependency. */
  @SuppressWarnings("unchecked")
  private static <K, V, C> SluiceShuffleHandle<K, V, C> ours(ShuffleHandle handle) {
    return (SluiceShuffleHandle<K, V, C>) handle;
  }

  /**
   * Spark asks on the driver for a removal, see {@link
   * org.apache.spark.shuffle.sluice.driver.ShuffleRemovals}.
   *
   * @return false if the shuffle is not on servers, and is to be removed at once
   */
  final boolean removeOnceCleaned(int shuffleId, boolean blocking, ShuffleDriverComponents all) {
    DriverSide driver;
    synchronized (this) {
      driver = driverSide;
    }
    return driver != null && driver.removeOnceCleaned(shuffleId, blocking, all::removeShuffle);
  }

  @Override
  public boolean unregisterShuffle(int shuffleId) {
    DriverSide driver;
    PlannedShuffles plans;
    TaskSide tasks;
    ShuffleTab shown;
    synchronized (this) {
      driver = driverSide;
      plans = planned;
      tasks = taskSide;
      shown = tab;
    }
    if (tasks != null) {
      tasks.forget(shuffleId);
    }
    if (plans != null) {
      plans.remove(shuffleId);
    }
    if (driver != null) {
      driver.unregister(shuffleId);
    }
    boolean removed = super.unregisterShuffle(shuffleId);
    if (driver == null) { // Which forgets its route and figures with its place.
      routes.remove(shuffleId);
      if (shown != null) {
        shown.ending(shuffleId);
      }
    }
    return removed;
  }

  @Override
  public void stop() {
    DriverSide driver;
    TaskSide tasks;
    synchronized (this) {
      stopped = true;
      if (planned != null) {
        planned.close();
        planned = null;
      }
      driver = driverSide;
      tasks = taskSide;
      driverSide = null;
      taskSide = null;
    }
    try {
      if (tasks != null) {
        tasks.close();
      }
    } finally {
      try {
        if (driver != null) {
          driver.close();
        }
      } finally {
        super.stop();
      }
    }
  }

  private synchronized DriverSide driverSide(SparkContext context, ShuffleTab shown) {
    if (!isDriver) {
      throw new IllegalStateException("only the driver registers shuffles");
    }
    checkRunning();
    DriverSide side = driverSide;
    if (side == null) {
      SparkEnv env = SparkEnv.get();
      side = DriverSide.create(conf, backend, env, context, routes, shown, this::unregisterShuffle);
      driverSide = side;
    }
    return side;
  }

  private synchronized PlannedShuffles planned() {
    checkRunning();
    PlannedShuffles known = planned;
    if (known == null) {
      MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
      known = new PlannedShuffles(tracker::containsShuffle, this::unregisterShuffle);
      planned = known;
    }
    return known;
  }

  private synchronized TaskSide taskSide() {
    checkRunning();
    TaskSide side = taskSide;
    if (side == null) {
      side = TaskSide.create(conf, backend, SparkEnv.get());
      taskSide = side;
    }
    return side;
  }

  private void checkRunning() {
    if (stopped) {
      throw new SluiceException(ErrorCode.SHUTTING_DOWN, "Spark stops, and its shuffles with it");
    }
  }
}
