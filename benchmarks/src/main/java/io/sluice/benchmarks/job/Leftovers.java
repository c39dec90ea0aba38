package io.sluice.benchmarks.job;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.spark.CleanerListener;
import org.apache.spark.ContextCleaner;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.SparkSession;

/**
 * The shuffles of a finished job. Spark drops a shuffle once the driver's collector finds nobody
 * holding it; a benchmark asks for that between runs, so that no run pays for the one before.
 */
public final class Leftovers {
  private static final int ROUNDS_IN_VAIN = 5;
  private static final long ROUND_MILLIS = 500;

  private final ContextCleaner cleaner;
  private final MapOutputTrackerMaster tracker;

  private Leftovers(ContextCleaner cleaner, MapOutputTrackerMaster tracker) {
    this.cleaner = cleaner;
    this.tracker = tracker;
  }

  /** Of a session that runs nothing else. */
  public static Leftovers of(SparkSession spark) {
    return new Leftovers(
        spark.sparkContext().cleaner().get(),
        (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker());
  }

  /**
   * Waits until all shuffles are gone, or five collections in a row, half a second apart, took
   * none: what stays then is Spark's to keep. One collection is seldom enough, since threads of
   * Spark's still hold the job that they saw last.
   */
  public void drop() throws InterruptedException {
    Semaphore cleaned = new Semaphore(0);
    cleaner.attachListener(new ShuffleCleaned(cleaned));
    int remaining = tracker.shuffleStatuses().size();
    for (int inVain = 0; inVain < ROUNDS_IN_VAIN && remaining > 0; ) {
      cleaned.drainPermits();
      System.gc();
      cleaned.tryAcquire(remaining, ROUND_MILLIS, TimeUnit.MILLISECONDS);
      int before = remaining;
      remaining = tracker.shuffleStatuses().size();
      inVain = remaining < before ? 0 : inVain + 1;
    }
  }

  private record ShuffleCleaned(Semaphore cleaned) implements CleanerListener {
    @Override
    public void shuffleCleaned(int shuffleId) {
      cleaned.release();
    }

    @Override
    public void rddCleaned(int rddId) {}

    @Override
    public void broadcastCleaned(long broadcastId) {}

    @Override
    public void accumCleaned(long accId) {}

    @Override
    public void checkpointCleaned(long rddId) {}
  }
}
