package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.control.ShuffleAhead;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The shuffle that most likely comes next, placed while the one before it runs: Spark numbers its
 * shuffles one after the other, and most of a query have as many partitions. Whoever registers it
 * has no coordinators to wait for then. Thread-safe; never blocks.
 */
final class NextShuffle {
  // Guarded by this.
  private @Nullable ShuffleAhead ahead;
  private int shuffleId;
  private int partitions;
  private int usual;
  private @Nullable CompletionStage<Boolean> dropped;

  /** How a shuffle is placed ahead. Must not wait. */
  interface Maker {
    ShuffleAhead begin(int shuffleId, int partitions);
  }

  /**
   * What is placed for a shuffle that is registered now.
   *
   * @return the caller's to take; null if there is nothing, or something else, which is dropped
   */
  synchronized @Nullable ShuffleAhead claim(int id, int wanted) {
    ShuffleAhead claimed = ahead;
    if (claimed == null || shuffleId > id) {
      return null; // Another thread has registered a later one already.
    }
    ahead = null;
    if (shuffleId == id && partitions == wanted) {
      return claimed;
    }
    dropped = claimed.drop();
    return null;
  }

  /**
   * A shuffle was placed: begins with the one after it, unless that has been begun. It gets as many
   * partitions as the last one that had several: one of a single partition mostly ends a query.
   */
  synchronized void prepare(int after, int itsPartitions, Maker maker) {
    if (itsPartitions > 1) {
      usual = itsPartitions;
    }
    ShuffleAhead before = ahead;
    if (usual == 0 || (before != null && shuffleId > after)) {
      return;
    }
    if (before != null) {
      dropped = before.drop();
    }
    shuffleId = after + 1;
    partitions = usual;
    ahead = maker.begin(shuffleId, partitions);
  }

  /** What was dropped last and coordinators may still count; told once, null if there is none. */
  synchronized @Nullable CompletionStage<Boolean> dropped() {
    CompletionStage<Boolean> last = dropped;
    dropped = null;
    return last;
  }
}
