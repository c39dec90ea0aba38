package org.apache.spark.shuffle.sluice;

import io.sluice.client.FixedPlacement;
import io.sluice.client.epoch.ServerBook;
import io.sluice.client.placement.Placements;
import io.sluice.common.lifecycle.OwnThreads;
import io.sluice.common.lifecycle.StopList;
import io.sluice.common.time.Clock;
import io.sluice.common.time.ThreadScheduler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.shuffle.sluice.config.SluiceConfig;
import org.apache.spark.shuffle.sluice.driver.DroppedShuffles;
import org.apache.spark.shuffle.sluice.driver.EndedApplication;
import org.apache.spark.shuffle.sluice.driver.EpochsEndpoint;
import org.apache.spark.shuffle.sluice.driver.Fallback;
import org.apache.spark.shuffle.sluice.driver.LiveShuffles;
import org.apache.spark.shuffle.sluice.driver.LossHandling;
import org.apache.spark.shuffle.sluice.driver.MissingMapsEndpoint;
import org.apache.spark.shuffle.sluice.driver.ProspectsEndpoint;
import org.apache.spark.shuffle.sluice.driver.ReduceLocality;
import org.apache.spark.shuffle.sluice.driver.RegisteredOutputs;
import org.apache.spark.shuffle.sluice.driver.RegisteredShuffles;
import org.apache.spark.shuffle.sluice.driver.ReusedShuffles;
import org.apache.spark.shuffle.sluice.driver.ReusedShufflesEndpoint;
import org.apache.spark.shuffle.sluice.driver.SchedulerLoop;
import org.apache.spark.shuffle.sluice.driver.ShuffleDependencies;
import org.apache.spark.shuffle.sluice.driver.ShufflePlacements;
import org.apache.spark.shuffle.sluice.driver.ShuffleRemovals;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoutes;
import org.apache.spark.shuffle.sluice.driver.ShuffleRouting;
import org.apache.spark.shuffle.sluice.handle.SluiceShuffleHandle;
import org.apache.spark.shuffle.sluice.store.LateStore;
import org.apache.spark.util.RpcUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the driver does for all tasks. Thread-safe; owns the way to the coordinators. */
final class DriverSide implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DriverSide.class);

  private static final int IDLE_SECONDS = 10;

  /** Shuffles of one job mostly, whose stages run at once. */
  private static final int REUSED_AT_ONCE = 4;

  private final ShuffleRouting routing;
  private final RegisteredShuffles shuffles;
  private final ReusedShuffles reused;
  private final String codec;
  private final StopList opened;

  private DriverSide(
      ShuffleRouting routing,
      RegisteredShuffles shuffles,
      ReusedShuffles reused,
      String codec,
      StopList opened) {
    this.routing = routing;
    this.shuffles = shuffles;
    this.reused = reused;
    this.codec = codec;
    this.opened = opened;
  }

  /**
   * @param context whose listeners hear of stages
   * @param routes told which way each shuffle goes
   * @param listener told what becomes of each
   * @param unregister forgets a shuffle in this process
   */
  static DriverSide create(
      SparkConf conf,
      ShuffleBackend backend,
      SparkEnv env,
      SparkContext context,
      ShuffleRoutes routes,
      ReusedShuffles.Listener listener,
      IntConsumer unregister) {
    SluiceConfig config = SluiceConfig.of(conf, env.securityManager());
    MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) env.mapOutputTracker();
    ReduceLocality.turnOff(tracker);
    ServerBook servers = new ServerBook(Clock.system());
    LiveShuffles live = new LiveShuffles(servers);
    ShuffleDependencies dependencies = new ShuffleDependencies();
    StopList opened = new StopList();
    boolean complete = false;
    try {
      ThreadScheduler losses = losses(opened);
      LateStore disks =
          opened.add("disks", new LateStore(() -> backend.store(config, Placements.fixed())));
      SchedulerLoop scheduler = new SchedulerLoop(context.dagScheduler());
      RegisteredOutputs outputs =
          new RegisteredOutputs(tracker, scheduler, dependencies::isBarrier);
      LossHandling handling = new LossHandling(servers, live, outputs, disks::storedMaps, losses);
      EndedApplication ended =
          new EndedApplication((job, reason) -> context.cancelJob(job, reason));
      ShufflePlacements placements =
          opened.add("placements", backend.placements(config, conf.getAppId(), handling, ended));
      live.tell(placements::moved);
      hearing(context, List.of(handling, ended), opened);
      RpcEnv rpc = env.rpcEnv();
      answering(rpc, MissingMapsEndpoint.listen(rpc, outputs, live, servers, handling), opened);
      answering(rpc, EpochsEndpoint.listen(rpc, live), opened);
      answering(rpc, ProspectsEndpoint.listen(rpc, servers), opened);
      opened.add(
          "dropped shuffles",
          DroppedShuffles.watch(dependencies, tracker::containsShuffle, unregister));
      ShuffleRouting routing = new ShuffleRouting(placements, fallback(placements, config), routes);
      RegisteredShuffles shuffles =
          new RegisteredShuffles(live, dependencies, ShuffleRemovals.hearing(context.cleaner()));
      ReusedShuffles reused =
          new ReusedShuffles(routing, shuffles, patience(conf, config), listener, waiting(opened));
      opened.add("reused shuffles", reused);
      answering(rpc, ReusedShufflesEndpoint.listen(rpc, reused), opened);
      DriverSide side = new DriverSide(routing, shuffles, reused, config.codec(), opened);
      complete = true;
      return side;
    } finally {
      if (!complete) { // Else the next shuffle could not open them again.
        opened.close();
      }
    }
  }

  private static void hearing(
      SparkContext context, List<SparkListener> listeners, StopList opened) {
    for (SparkListener listener : listeners) {
      context.addSparkListener(listener);
      opened.add("listener", () -> context.removeSparkListener(listener));
    }
  }

  private static void answering(RpcEnv rpc, RpcEndpointRef endpoint, StopList opened) {
    opened.add(endpoint.name(), () -> rpc.stop(endpoint));
  }

  private static Fallback fallback(ShufflePlacements placements, SluiceConfig config) {
    return new Fallback(
        placements,
        config.fallback(),
        config.fallbackPartitions(),
        config.placementPatience(),
        Clock.system());
  }

  private static ThreadScheduler losses(StopList opened) {
    ThreadScheduler losses =
        new ThreadScheduler(
            "sluice-losses",
            Clock.system(),
            (thread, failure) -> LOG.error("A task of {} failed", thread.getName(), failure));
    opened.add("sluice-losses", losses);
    return losses;
  }

  /** Who asks for another place is to hear why there is none, and not that the driver is silent. */
  private static Duration patience(SparkConf conf, SluiceConfig config) {
    Duration asking = Duration.ofMillis(RpcUtils.askRpcTimeout(conf).duration().toMillis());
    Duration half = asking.dividedBy(2);
    return config.placementPatience().compareTo(half) < 0 ? config.placementPatience() : half;
  }

  /** Threads, as long as shuffles that were removed wait for another place. */
  private static ThreadPoolExecutor waiting(StopList opened) {
    ThreadPoolExecutor waiting =
        new ThreadPoolExecutor(
            REUSED_AT_ONCE,
            REUSED_AT_ONCE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(), // as many as there are shuffles, each once
            task -> OwnThreads.daemon("sluice-reused-shuffles", task));
    waiting.allowCoreThreadTimeOut(true);
    opened.add("sluice-reused-shuffles", waiting::shutdownNow);
    return waiting;
  }

  /**
   * Decides where a shuffle goes; null if Spark's own is to serve it.
   *
   * @throws InterruptedException if the thread was interrupted meanwhile
   */
  <K, V, C> @Nullable SluiceShuffleHandle<K, V, C> register(
      int shuffleId, ShuffleDependency<K, V, C> dependency) throws InterruptedException {
    FixedPlacement placement = routing.place(shuffleId, dependency.partitioner().numPartitions());
    shuffles.add(shuffleId, dependency, placement);
    return placement == null
        ? null
        : new SluiceShuffleHandle<>(
            shuffleId, dependency, placement, codec, id -> reused.sent(id, dependency));
  }

  /** The newest placement of a shuffle; null if it is gone. */
  @Nullable FixedPlacement newest(int shuffleId) {
    return shuffles.newest(shuffleId);
  }

  /** As {@link RegisteredShuffles#removeOnceCleaned}. */
  boolean removeOnceCleaned(int shuffleId, boolean blocking, ShuffleRemovals.Removal removal) {
    return shuffles.removeOnceCleaned(shuffleId, blocking, removal);
  }

  void unregister(int shuffleId) {
    reused.remove(shuffleId);
  }

  @Override
  public void close() {
    opened.close();
  }
}
