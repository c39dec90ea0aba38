package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.FixedPlacement;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import java.time.Duration;
import java.util.function.IntConsumer;
import org.apache.spark.ShuffleDependency;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shuffles that were removed while a plan is left that knows them, by {@code
 * RDD.cleanShuffleDependencies} for one. Spark runs their maps once more if the plan is used again,
 * and registers them no more; so they are placed anew, as another generation, when tasks are sent
 * that know them.
 *
 * <p>That is on the thread on which Spark schedules all jobs, and few of those tasks need the
 * shuffle: what was read of it may be cached. So a coordinator is waited for briefly, and not again
 * for a while if that was in vain. Thread-safe.
 */
public final class ReusedShuffles {
  private static final Logger LOG = LoggerFactory.getLogger(ReusedShuffles.class);

  /** Twice what the election of another leader takes. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** So at most one eleventh of a driver's time is spent waiting. */
  private static final Duration PAUSE = PATIENCE.multipliedBy(10);

  private final ShuffleRouting routing;
  private final RegisteredShuffles shuffles;
  private final Clock clock;

  // Guarded by this: until when nobody is asked, after a wait in vain.
  private @Nullable Long pausedUntil;

  public ReusedShuffles(ShuffleRouting routing, RegisteredShuffles shuffles, Clock clock) {
    this.routing = routing;
    this.shuffles = shuffles;
    this.clock = clock;
  }

  /**
   * Where a shuffle lies now.
   *
   * @param placedAgain told its number if it has another place
   * @return null if it was removed and nobody places it
   */
  public @Nullable FixedPlacement placementOf(
      int shuffleId, ShuffleDependency<?, ?, ?> dependency, IntConsumer placedAgain) {
    FixedPlacement newest = shuffles.newest(shuffleId);
    return newest == null ? placeAgain(shuffleId, dependency, placedAgain) : newest;
  }

  private synchronized @Nullable FixedPlacement placeAgain(
      int shuffleId, ShuffleDependency<?, ?, ?> dependency, IntConsumer placedAgain) {
    FixedPlacement newest = shuffles.newest(shuffleId);
    if (newest != null || isPaused()) {
      return newest;
    }
    int partitions = dependency.partitioner().numPartitions();
    try {
      newest = routing.placeAgain(shuffleId, partitions, PATIENCE);
    } catch (SluiceException e) {
      pausedUntil = clock.nanoTime() + PAUSE.toNanos();
      LOG.warn(
          "Shuffle {} was removed and is known to tasks that are sent now. It has no place any more,"
              + " and is given none for {} s: those that write or read it will fail. {}",
          shuffleId,
          PAUSE.toSeconds(),
          e.getMessage());
      return null;
    }
    LOG.info("Shuffle {} was removed and is used again, as {}", shuffleId, newest.shuffle());
    shuffles.add(shuffleId, dependency, newest);
    placedAgain.accept(shuffleId);
    return newest;
  }

  private boolean isPaused() {
    Long until = pausedUntil;
    if (until != null && until - clock.nanoTime() <= 0) {
      pausedUntil = null;
    }
    return pausedUntil != null;
  }

  /**
   * A shuffle is over, in whatever generation it is. Not while one is placed again: what is known
   * by its number alone would be of another one then.
   */
  public synchronized void remove(int shuffleId) {
    routing.remove(shuffleId, shuffles.remove(shuffleId));
  }
}
