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
  private static final int ROUNDS = 5;
  private static final long ROUND_SECONDS = 2;

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

  /** Waits until all shuffles are gone, at most ten seconds; what stays then is Spark's to keep. */
  public void drop() throws InterruptedException {
    Semaphore cleaned = new Semaphore(0);
    cleaner.attachListener(new ShuffleCleaned(cleaned));
    for (int round = 0; round < ROUNDS && !tracker.shuffleStatuses().isEmpty(); round++) {
      System.gc();
      int remaining = tracker.shuffleStatuses().size();
      if (cleaned.tryAcquire(remaining, ROUND_SECONDS, TimeUnit.SECONDS)) {
        cleaned.drainPermits();
      }
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
