package org.apache.spark.shuffle.sluice.driver;

import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import org.apache.spark.ShuffleDependency;

/**
 * The shuffles of a driver that sends none to servers, as far as a plan is left that knows them.
 * Those that never ran are removed when their plans are gone ({@link DroppedShuffles}).
 * Thread-safe.
 */
public final class PlannedShuffles implements AutoCloseable {
  private final ShuffleDependencies dependencies = new ShuffleDependencies();
  private final DroppedShuffles dropped;

  /**
   * @param hasStage whether a shuffle has had one, so that Spark's cleaner removes it
   * @param remove forgets one everywhere, here too
   */
  public PlannedShuffles(IntPredicate hasStage, IntConsumer remove) {
    dropped = DroppedShuffles.watch(dependencies, hasStage, remove);
  }

  public void add(int shuffleId, ShuffleDependency<?, ?, ?> dependency) {
    dependencies.add(shuffleId, dependency);
  }

  public void remove(int shuffleId) {
    dependencies.remove(shuffleId);
  }

  /** Does not wait. Idempotent. */
  @Override
  public void close() {
    dropped.close();
  }
}
