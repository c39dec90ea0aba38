package org.apache.spark.shuffle.sluice.driver;

import io.sluice.common.lifecycle.OwnThreads;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes shuffles that were registered and never ran, once the plans that know them are gone.
 * Spark registers a shuffle as soon as somebody looks at what a plan depends on, to count its
 * partitions or to print it, and its cleaner removes those that have had a stage, and no others. So
 * one that got none would stay placed, and counted against its user's quota, until the application
 * ends.
 *
 * <p>Owns a thread, which waits for the collector and ends when this is closed.
 */
public final class DroppedShuffles implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DroppedShuffles.class);

  private final ShuffleDependencies dependencies;
  private final IntPredicate hasStage;
  private final IntConsumer remove;
  private final Thread thread;

  private DroppedShuffles(
      ShuffleDependencies dependencies, IntPredicate hasStage, IntConsumer remove) {
    this.dependencies = dependencies;
    this.hasStage = hasStage;
    this.remove = remove;
    this.thread = OwnThreads.daemon("sluice-dropped-shuffles", this::removeAll);
  }

  /**
   * @param hasStage whether a shuffle has had one, so that Spark's cleaner removes it
   * @param remove forgets one everywhere; no executor has heard of it
   */
  public static DroppedShuffles watch(
      ShuffleDependencies dependencies, IntPredicate hasStage, IntConsumer remove) {
    DroppedShuffles dropped = new DroppedShuffles(dependencies, hasStage, remove);
    dropped.thread.start();
    return dropped;
  }

  private void removeAll() {
    try {
      while (true) {
        remove(dependencies.awaitDropped());
      }
    } catch (InterruptedException closed) {
      LOG.debug("Closed");
    }
  }

  private void remove(int shuffleId) {
    try {
      if (!hasStage.test(shuffleId)) {
        LOG.info("Shuffle {} has no stage, and its plan is gone: it is removed", shuffleId);
        remove.accept(shuffleId);
      }
    } catch (Exception e) { // Scala throws checked ones undeclared.
      if (e instanceof InterruptedException) {
        thread.interrupt();
      }
      LOG.error("Shuffle {}, which has no stage, stays until the application ends", shuffleId, e);
    }
  }

  /** Does not wait. Idempotent. */
  @Override
  public void close() {
    thread.interrupt();
  }
}
