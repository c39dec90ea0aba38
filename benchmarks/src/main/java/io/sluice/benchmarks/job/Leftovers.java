package io.sluice.benchmarks.job;

import java.util.concurrent.TimeUnit;
import org.apache.spark.CleanerListener;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.SparkSession;

/**
 * The shuffles of a finished job. Spark drops a shuffle once the driver's collector finds nobody
 * holding it; a benchmark asks for that between runs, so that no run pays for the one before.
 *
 * <p>Some shuffles Spark itself still holds, such as those of the newest query. What tells them
 * from shuffles whose turn has not come is an accumulator that nobody holds: Spark's cleaner takes
 * it from the same queue, and where two in a row are gone and no shuffle was, none is to come.
 */
public final class Leftovers {
  private static final int ROUNDS = 5;
  private static final int ROUNDS_WITHOUT_ANY = 2;
  private static final long ROUND_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final SparkContext context;
  private final MapOutputTrackerMaster tracker;
  private final AccumulatorCleaned cleaned = new AccumulatorCleaned();

  /**
   * Of a session that runs nothing else; one for as long as it lives, since Spark keeps what
   * listens to its cleaner.
   */
  public Leftovers(SparkSession spark) {
    context = spark.sparkContext();
    tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
    context.cleaner().get().attachListener(cleaned);
  }

  /** Waits until all shuffles are gone that nobody holds, at most ten seconds. One thread. */
  public void drop() throws InterruptedException {
    int withoutAny = 0;
    for (int round = 0; round < ROUNDS && withoutAny < ROUNDS_WITHOUT_ANY; round++) {
      int before = shuffles();
      if (before == 0) {
        return;
      }
      collect();
      withoutAny = shuffles() < before ? 0 : withoutAny + 1;
    }
  }

  private int shuffles() {
    return tracker.shuffleStatuses().size();
  }

  /** Runs the collector, and waits until the cleaner has come to what it found. */
  private void collect() throws InterruptedException {
    long dropped = dropped();
    System.gc();
    cleaned.await(dropped);
  }

  /** The number of an accumulator that nobody holds. */
  private long dropped() {
    return context.longAccumulator("dropped between runs").id();
  }

  /** Which accumulators Spark's cleaner came to. */
  private static final class AccumulatorCleaned implements CleanerListener {
    private long newest = -1;

    /** Waits for one, and no longer than a round may take, as the next looks again. */
    synchronized void await(long accumulator) throws InterruptedException {
      long deadline = System.nanoTime() + ROUND_NANOS;
      for (long left = ROUND_NANOS; newest < accumulator && left > 0; ) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
        left = deadline - System.nanoTime();
      }
    }

    @Override
    public synchronized void accumCleaned(long accId) {
      newest = Math.max(newest, accId);
      notifyAll();
    }

    @Override
    public void shuffleCleaned(int shuffleId) {}

    @Override
    public void rddCleaned(int rddId) {}

    @Override
    public void broadcastCleaned(long broadcastId) {}

    @Override
    public void checkpointCleaned(long rddId) {}
  }
}
