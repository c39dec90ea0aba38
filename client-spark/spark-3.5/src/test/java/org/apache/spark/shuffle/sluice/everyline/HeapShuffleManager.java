package org.apache.spark.shuffle.sluice.everyline;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.control.EndListener;
import io.sluice.client.control.ServerListener;
import io.sluice.client.control.ServerStatus;
import io.sluice.client.placement.Placements;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.shuffle.sluice.ShuffleBackend;
import org.apache.spark.shuffle.sluice.SluiceShuffleManager;
import org.apache.spark.shuffle.sluice.config.SluiceConfig;
import org.apache.spark.shuffle.sluice.driver.ShufflePlacements;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoutes;
import org.apache.spark.shuffle.sluice.store.HeapShuffleStore;
import org.apache.spark.shuffle.sluice.store.ShuffleStore;
import org.apache.spark.shuffle.sluice.store.StreamedHeapStore;
import org.jspecify.annotations.Nullable;

/** The real manager over servers in the heap, for Spark in one process. */
public final class HeapShuffleManager extends SluiceShuffleManager {
  /** Names the code that shuffles are refused with. */
  static final String REFUSAL = "spark.heap.refusal";

  /** How many partitions a shuffle has that is refused; all are if this is not given. */
  static final String REFUSED_PARTITIONS = "spark.heap.refusedPartitions";

  /** Whether shuffles wait for a place until whoever registers them is interrupted. */
  static final String WAITS = "spark.heap.waits";

  /** How many servers partitions are dealt out to in turn, one if this is not given. */
  static final String SERVERS = "spark.heap.servers";

  /**
   * What readers may hold together of records that are longer than a block, if they are to be those
   * of the real client.
   */
  static final String LONG_RECORD_BYTES = "spark.heap.longRecordBytes";

  static final PlacedServer SERVER = new PlacedServer(ServerId.of(0, 1), 1, "heap", 1);
  static final PlacedServer OTHER = new PlacedServer(ServerId.of(0, 2), 1, "other", 1);

  /** Opens when a shuffle of the manager that was made last waits for a place. */
  private static volatile CountDownLatch waiting = new CountDownLatch(1);

  private final HeapShuffleStore store;
  private final AtomicReference<ServerListener> listener;
  private final AtomicReference<Refusal> refusal;

  /** Called by Spark, reflectively. */
  public HeapShuffleManager(SparkConf conf, boolean isDriver) {
    this(
        conf,
        isDriver,
        new HeapShuffleStore(),
        new AtomicReference<>(),
        new AtomicReference<>(Refusal.of(conf)));
  }

  private HeapShuffleManager(
      SparkConf conf,
      boolean isDriver,
      HeapShuffleStore store,
      AtomicReference<ServerListener> listener,
      AtomicReference<Refusal> refusal) {
    super(
        conf,
        isDriver,
        new HeapBackend(
            store, listener, refusal, servers(conf), conf.getLong(LONG_RECORD_BYTES, -1)));
    this.store = store;
    this.listener = listener;
    this.refusal = refusal;
  }

  private static List<PlacedServer> servers(SparkConf conf) {
    return List.of(SERVER, OTHER).subList(0, conf.getInt(SERVERS, 1));
  }

  /** Returns when a shuffle waits for a place. */
  static void awaitWaiting() throws InterruptedException {
    if (!waiting.await(60, TimeUnit.SECONDS)) {
      throw new AssertionError("no shuffle waits for a place");
    }
  }

  /** Who is told what happens to servers. */
  static ServerListener currentListener() {
    HeapShuffleManager manager = (HeapShuffleManager) SparkEnv.get().shuffleManager();
    return Objects.requireNonNull(manager.listener.get());
  }

  /** Coordinators say that the first server is lost; the other one is there. */
  static void loseServer() {
    currentListener()
        .snapshot(
            List.of(
                new ServerStatus(SERVER, ServerStatus.State.LOST, 1, 1, 1),
                new ServerStatus(OTHER, ServerStatus.State.ACTIVE, 1, 0, 1)));
  }

  /** Coordinators place nothing any more. */
  static void refuseFromNowOn(ErrorCode code) {
    HeapShuffleManager manager = (HeapShuffleManager) SparkEnv.get().shuffleManager();
    manager.refusal.set(new Refusal(code, 0, false));
  }

  /** Coordinators place everything again. */
  static void placeFromNowOn() {
    HeapShuffleManager manager = (HeapShuffleManager) SparkEnv.get().shuffleManager();
    manager.refusal.set(new Refusal(null, 0, false));
  }

  public static HeapShuffleStore currentStore() {
    return ((HeapShuffleManager) SparkEnv.get().shuffleManager()).store;
  }

  static ShuffleRoutes currentRoutes() {
    return ((HeapShuffleManager) SparkEnv.get().shuffleManager()).routes();
  }

  /**
   * What coordinators do not place.
   *
   * @param code null if they place everything
   * @param partitions of shuffles that are refused, 0 for all
   * @param waits whether they do not answer
   */
  private record Refusal(@Nullable ErrorCode code, int partitions, boolean waits) {
    static Refusal of(SparkConf conf) {
      waiting = new CountDownLatch(1);
      return new Refusal(
          conf.contains(REFUSAL) ? ErrorCode.valueOf(conf.get(REFUSAL)) : null,
          conf.getInt(REFUSED_PARTITIONS, 0),
          conf.getBoolean(WAITS, false));
    }

    void check(int wanted) {
      if (waits) {
        waiting.countDown();
        try {
          new CountDownLatch(1).await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new SluiceException(ErrorCode.CANCELLED, "interrupted, as a client says it", e);
        }
      }
      if (code != null && (partitions == 0 || partitions == wanted)) {
        throw new SluiceException(code, "the heap has no place for " + wanted + " partitions");
      }
    }
  }

  private record HeapBackend(
      HeapShuffleStore store,
      AtomicReference<ServerListener> listener,
      AtomicReference<Refusal> refusal,
      List<PlacedServer> servers,
      long longRecordBytes)
      implements ShuffleBackend {
    @Override
    public ShufflePlacements placements(
        SluiceConfig config, String engineId, ServerListener told, EndListener end) {
      listener.set(told);
      return new HeapPlacements(
          config.application(), store, refusal, servers, new ConcurrentHashMap<>());
    }

    @Override
    public ShuffleStore store(SluiceConfig config, Placements placements) {
      return longRecordBytes < 0 ? store : new StreamedHeapStore(store, longRecordBytes);
    }
  }

  /**
   * @param generations of each shuffle that was ever placed the newest
   */
  private record HeapPlacements(
      ApplicationId application,
      HeapShuffleStore store,
      AtomicReference<Refusal> refusal,
      List<PlacedServer> servers,
      Map<Integer, Integer> generations)
      implements ShufflePlacements {
    @Override
    public FixedPlacement place(int shuffleId, int partitions) {
      Objects.requireNonNull(refusal.get()).check(partitions);
      int generation = generations.merge(shuffleId, 0, (before, first) -> before + 1);
      ShuffleKey key = new ShuffleKey(application, shuffleId, generation);
      int[] inTurn = IntStream.range(0, partitions).map(p -> p % servers.size()).toArray();
      return FixedPlacement.of(key, partitions, servers, 1, inTurn);
    }

    @Override
    public void remove(int shuffleId, Collection<ServerId> servers) {
      Integer generation = generations.get(shuffleId);
      if (generation != null) {
        store.remove(new ShuffleKey(application, shuffleId, generation));
      }
    }

    @Override
    public void close() {}
  }
}
