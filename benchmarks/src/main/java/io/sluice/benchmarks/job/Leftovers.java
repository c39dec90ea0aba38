package io.sluice.benchmarks.job;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.ContextCleaner;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.SparkSession;
import scala.collection.Iterator;

/**
 * The shuffles of a finished job. Spark drops a shuffle some time after nobody holds it any more,
 * and holds some itself (4.2 does); a benchmark drops all between runs, so that no run has those of
 * the runs before it beside it. What servers then do to remove them is not waited for, and may
 * reach into the next run, whichever side's that is.
 */
public final class Leftovers {
  private final ContextCleaner cleaner;
  private final MapOutputTrackerMaster tracker;

  private Leftovers(ContextCleaner cleaner, MapOutputTrackerMaster tracker) {
    this.cleaner = cleaner;
    this.tracker = tracker;
  }

  /** Of a session that runs nothing else, and keeps nothing that reads a shuffle again. */
  public static Leftovers of(SparkSession spark) {
    return new Leftovers(
        spark.sparkContext().cleaner().get(),
        (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker());
  }

  /** Drops all shuffles as Spark does, then runs the collector, once. */
  public void drop() {
    for (int shuffle : shuffles()) {
      cleaner.doCleanupShuffle(shuffle, true);
    }
    System.gc();
  }

  private List<Integer> shuffles() {
    List<Integer> ids = new ArrayList<>();
    for (Iterator<Object> keys = tracker.shuffleStatuses().keysIterator(); keys.hasNext(); ) {
      ids.add((Integer) keys.next());
    }
    return ids;
  }
}
