package io.sluice.benchmarks.job;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.SparkSession;
import scala.collection.Iterator;

/**
 * The shuffles of a finished job. Spark drops a shuffle some time after nobody holds it any more,
 * and holds some itself (4.2 does); a benchmark drops all between runs, so that no run has those of
 * the runs before it beside it. What servers then do to remove them is not waited for, and may
 * reach into the next run, whichever side's that is.
 *
 * <p>Of a session that runs nothing else, and keeps nothing that reads a shuffle again. One thread.
 */
public final class Leftovers {
  private static final long STAGES_SECONDS = 120;

  private final SparkContext context;
  private final MapOutputTrackerMaster tracker;
  private final RunningJobs jobs = new RunningJobs();

  /** Before the first job. */
  public Leftovers(SparkSession spark) {
    context = spark.sparkContext();
    tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
    context.addSparkListener(jobs);
  }

  /**
   * Waits for stages that still run: the scheduler ends with the whole session where a map task
   * ends whose shuffle is gone. Then drops all shuffles as Spark does, and runs the collector,
   * once.
   *
   * @throws TimeoutException if a job does not end within two minutes
   */
  public void drop() throws InterruptedException, TimeoutException {
    context.listenerBus().waitUntilEmpty();
    jobs.awaitNone(STAGES_SECONDS);
    for (int shuffle : shuffles()) {
      context.cleaner().get().doCleanupShuffle(shuffle, true);
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
