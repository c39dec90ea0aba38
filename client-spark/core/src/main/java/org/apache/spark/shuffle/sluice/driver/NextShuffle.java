package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.control.ShuffleAhead;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The shuffle that most likely comes next, placed while the one before it runs: Spark numbers its
 * shuffles one after the other, and most of a query have as many partitions. Whoever registers it
 * has no coordinators to wait for then. Thread-safe; never blocks.
 */
final class NextShuffle {
  // Guarded by this. What is ahead is the one behind the newest.
  private int newest = -1;
  private @Nullable ShuffleAhead ahead;
  private int partitions;
  private int usual;
  private CompletionStage<Boolean> dropped = CompletableFuture.completedFuture(true);

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
    if (id <= newest) {
      return null; // Another thread has registered a later one already.
    }
    boolean isNext = id == newest + 1;
    newest = id;
    ShuffleAhead claimed = ahead;
    ahead = null;
    if (claimed == null || (isNext && partitions == wanted)) {
      return claimed;
    }
    drops(claimed.drop());
    return null;
  }

  /**
   * A shuffle was placed: begins with the one after it, unless a later one is being registered or
   * that has been begun. It gets as many partitions as the last one that had several: one of a
   * single partition mostly ends a query.
   */
  synchronized void prepare(int after, int itsPartitions, Maker maker) {
    if (itsPartitions > 1) {
      usual = itsPartitions;
    }
    if (usual == 0 || after < newest || ahead != null) {
      return;
    }
    partitions = usual;
    ahead = maker.begin(after + 1, partitions);
  }

  /** Something is given up that coordinators count until this ends. */
  synchronized void drops(CompletionStage<Boolean> gone) {
    dropped = dropped.thenCombine(gone, (before, now) -> true);
  }

  /** Ends when coordinators count nothing any more that was given up; another one if more was. */
  synchronized CompletionStage<Boolean> dropped() {
    return dropped;
  }

  /** The same, with what is there for a shuffle that nobody has registered yet given up too. */
  synchronized CompletionStage<Boolean> dropAll() {
    ShuffleAhead last = ahead;
    ahead = null;
    if (last != null) {
      drops(last.drop());
    }
    return dropped;
  }
}
