package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.FixedPlacement;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.IntConsumer;
import org.apache.spark.ShuffleDependency;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shuffles that were removed while a plan is left that knows them, by {@code
 * RDD.cleanShuffleDependencies} for one. Spark runs their maps once more if the plan is used again,
 * and registers them no more; so they are placed anew, as another generation, when a task asks.
 *
 * <p>Not when tasks are sent that know them: that is on the thread on which Spark schedules all
 * jobs, and few of those tasks need them, since what was read of them may be cached. Keeps no plan
 * from the collector. Thread-safe; nobody holds a lock of it who waits for coordinators.
 */
public final class ReusedShuffles {
  private static final Logger LOG = LoggerFactory.getLogger(ReusedShuffles.class);

  private final ShuffleRouting routing;
  private final RegisteredShuffles shuffles;
  private final Duration patience;
  private final IntConsumer placedAgain;
  private final Executor waiting;

  // Guarded by this: of shuffles that had been removed when tasks were sent, what the plans know.
  private final Map<Integer, WeakReference<ShuffleDependency<?, ?, ?>>> removed = new HashMap<>();

  // Guarded by this: what is being placed.
  private final Map<Integer, CompletableFuture<FixedPlacement>> underWay = new HashMap<>();

  /**
   * @param patience how long coordinators are waited for
   * @param placedAgain told the number of each that is placed again
   * @param waiting runs what waits for coordinators
   */
  public ReusedShuffles(
      ShuffleRouting routing,
      RegisteredShuffles shuffles,
      Duration patience,
      IntConsumer placedAgain,
      Executor waiting) {
    this.routing = routing;
    this.shuffles = shuffles;
    this.patience = patience;
    this.placedAgain = placedAgain;
    this.waiting = waiting;
  }

  /**
   * Where a shuffle lies that tasks are sent now which know it. Does not wait.
   *
   * @return null if it was removed; tasks have it placed again then, if they need it
   */
  public @Nullable FixedPlacement sent(int shuffleId, ShuffleDependency<?, ?, ?> dependency) {
    FixedPlacement newest = shuffles.newest(shuffleId);
    if (newest == null) {
      remember(shuffleId, dependency);
    }
    return newest;
  }

  private synchronized void remember(int shuffleId, ShuffleDependency<?, ?, ?> dependency) {
    if (!removed.containsKey(shuffleId)) {
      removed.values().removeIf(plan -> plan.get() == null);
      removed.put(shuffleId, new WeakReference<>(dependency));
    }
  }

  /**
   * Has a shuffle placed that was removed, unless it was already. All who ask meanwhile get the
   * same answer; after one that was refused the next who asks makes another attempt.
   *
   * @return fails with a {@link SluiceException}: what it was refused with, UNKNOWN_SHUFFLE if no
   *     plan is left that knows it, SHUTTING_DOWN
   */
  public CompletionStage<FixedPlacement> place(int shuffleId) {
    CompletableFuture<FixedPlacement> mine = new CompletableFuture<>();
    synchronized (this) {
      FixedPlacement newest = shuffles.newest(shuffleId);
      if (newest != null) {
        return CompletableFuture.completedFuture(newest);
      }
      CompletableFuture<FixedPlacement> other = underWay.putIfAbsent(shuffleId, mine);
      if (other != null) {
        return other;
      }
    }
    try {
      waiting.execute(() -> placeAgain(shuffleId, mine));
    } catch (RejectedExecutionException e) {
      failed(shuffleId, mine, new SluiceException(ErrorCode.SHUTTING_DOWN, "Spark stops", e));
    }
    return mine;
  }

  private void placeAgain(int shuffleId, CompletableFuture<FixedPlacement> mine) {
    FixedPlacement placement;
    try {
      ShuffleDependency<?, ?, ?> dependency = known(shuffleId);
      int partitions = dependency.partitioner().numPartitions();
      placement = routing.placeAgain(shuffleId, partitions, patience);
      shuffles.add(shuffleId, dependency, placement);
      placedAgain.accept(shuffleId);
    } catch (RuntimeException | Error e) {
      LOG.warn("Shuffle {} was removed and is used again, and has no place", shuffleId, e);
      failed(shuffleId, mine, e);
      return;
    }
    LOG.info("Shuffle {} was removed and is used again, as {}", shuffleId, placement.shuffle());
    synchronized (this) {
      underWay.remove(shuffleId);
      removed.remove(shuffleId);
    }
    mine.complete(placement);
  }

  private synchronized ShuffleDependency<?, ?, ?> known(int shuffleId) {
    WeakReference<ShuffleDependency<?, ?, ?>> plan = removed.get(shuffleId);
    ShuffleDependency<?, ?, ?> dependency = plan == null ? null : plan.get();
    if (dependency == null) {
      throw new SluiceException(
          ErrorCode.UNKNOWN_SHUFFLE, "no plan of the driver knows shuffle " + shuffleId);
    }
    return dependency;
  }

  private void failed(int shuffleId, CompletableFuture<FixedPlacement> mine, Throwable why) {
    synchronized (this) {
      underWay.remove(shuffleId);
    }
    mine.completeExceptionally(why);
  }

  /**
   * A shuffle is over, in whatever generation it is. Does not wait: one that is just being placed
   * again is removed when it is, since what is known by its number alone would be of either.
   */
  public void remove(int shuffleId) {
    CompletionStage<FixedPlacement> placing;
    synchronized (this) {
      placing = underWay.get(shuffleId);
      if (placing == null) {
        routing.remove(shuffleId, shuffles.remove(shuffleId));
        return;
      }
    }
    placing.whenComplete((placement, refused) -> remove(shuffleId));
  }
}
