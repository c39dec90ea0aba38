package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.FixedPlacement;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
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
public final class ReusedShuffles implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ReusedShuffles.class);

  private final ShuffleRouting routing;
  private final RegisteredShuffles shuffles;
  private final Duration patience;
  private final Listener listener;
  private final Executor waiting;

  // All guarded by this. Of shuffles that had been removed when tasks were sent, what plans know.
  private final Map<Integer, WeakReference<ShuffleDependency<?, ?, ?>>> removed = new HashMap<>();
  private final Map<Integer, Placing> underWay = new HashMap<>();
  private boolean closed;

  /** Who counts what becomes of shuffles. Called under a lock; must not block. */
  public interface Listener {
    /** A shuffle that was over has a place again. */
    void placedAgain(int shuffleId);

    /** One is over, and its placement is still known. Unknown ones are ignored. */
    void ending(int shuffleId);
  }

  private static final class Placing {
    final CompletableFuture<FixedPlacement> answer = new CompletableFuture<>();
    boolean unwanted; // Removed again meanwhile; guarded by the shuffles.
  }

  /**
   * @param patience how long coordinators are waited for
   * @param waiting runs what waits for coordinators
   */
  public ReusedShuffles(
      ShuffleRouting routing,
      RegisteredShuffles shuffles,
      Duration patience,
      Listener listener,
      Executor waiting) {
    this.routing = routing;
    this.shuffles = shuffles;
    this.patience = patience;
    this.listener = listener;
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
   * same answer; after one that was refused the next who asks makes another attempt. Who asks when
   * it was removed once more as it was being placed gets the next place.
   *
   * @return what it was refused with is what this fails with; UNKNOWN_SHUFFLE if no plan is left
   *     that knows it, or it was removed meanwhile; SHUTTING_DOWN
   */
  public CompletionStage<FixedPlacement> place(int shuffleId) {
    Placing mine = new Placing();
    synchronized (this) {
      if (closed) {
        return CompletableFuture.failedFuture(shuttingDown());
      }
      FixedPlacement newest = shuffles.newest(shuffleId);
      if (newest != null) {
        return CompletableFuture.completedFuture(newest);
      }
      Placing other = underWay.get(shuffleId);
      if (other != null) {
        return other.unwanted ? after(other, shuffleId) : other.answer;
      }
      underWay.put(shuffleId, mine);
    }
    try {
      waiting.execute(() -> placeAgain(shuffleId, mine));
    } catch (RejectedExecutionException e) {
      over(shuffleId, mine);
      mine.answer.completeExceptionally(shuttingDown());
    }
    return mine.answer;
  }

  /** What is known of a shuffle by its number alone would be of either: one after the other. */
  private CompletionStage<FixedPlacement> after(Placing unwanted, int shuffleId) {
    return unwanted.answer.handle((none, gone) -> shuffleId).thenCompose(this::place);
  }

  private void placeAgain(int shuffleId, Placing mine) {
    try {
      ShuffleDependency<?, ?, ?> dependency = known(shuffleId);
      int partitions = dependency.partitioner().numPartitions();
      FixedPlacement placement = routing.placeAgain(shuffleId, partitions, patience);
      taken(shuffleId, dependency, placement, mine);
      LOG.info("Shuffle {} was removed and is used again, as {}", shuffleId, placement.shuffle());
      mine.answer.complete(placement);
    } catch (RuntimeException | Error e) {
      LOG.warn("Shuffle {} was removed and is used again, and has no place", shuffleId, e);
      over(shuffleId, mine);
      mine.answer.completeExceptionally(e);
    }
  }

  private synchronized void taken(
      int shuffleId,
      ShuffleDependency<?, ?, ?> dependency,
      FixedPlacement placement,
      Placing mine) {
    underWay.remove(shuffleId, mine);
    if (mine.unwanted) {
      routing.remove(shuffleId, placement);
      throw new SluiceException(
          ErrorCode.UNKNOWN_SHUFFLE,
          "shuffle " + shuffleId + " was removed as it was being placed");
    }
    shuffles.add(shuffleId, dependency, placement);
    listener.placedAgain(shuffleId);
  }

  private synchronized void over(int shuffleId, Placing mine) {
    underWay.remove(shuffleId, mine);
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

  /**
   * A shuffle is over, in whatever generation it is. Does not wait: one that is just being placed
   * again goes when it is.
   */
  public synchronized void remove(int shuffleId) {
    Placing placing = underWay.get(shuffleId);
    if (placing != null) {
      placing.unwanted = true;
      return;
    }
    listener.ending(shuffleId);
    routing.remove(shuffleId, shuffles.remove(shuffleId));
  }

  private static SluiceException shuttingDown() {
    return new SluiceException(ErrorCode.SHUTTING_DOWN, "Spark stops, and its shuffles with it");
  }

  /** Answers all who wait. What is placed by then goes with the application. */
  @Override
  public void close() {
    List<Placing> unanswered;
    synchronized (this) {
      closed = true;
      unanswered = List.copyOf(underWay.values());
      underWay.clear();
    }
    unanswered.forEach(placing -> placing.answer.completeExceptionally(shuttingDown()));
  }
}
