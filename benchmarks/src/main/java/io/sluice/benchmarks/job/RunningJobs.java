package io.sluice.benchmarks.job;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;

/**
 * How many jobs have begun and not ended. An adaptive query is answered while stages of it still
 * run, where it turns out that nobody needs them. Told by Spark's listener thread, awaited by
 * another.
 */
final class RunningJobs extends SparkListener {
  private int running;

  @Override
  public synchronized void onJobStart(SparkListenerJobStart start) {
    running++;
  }

  @Override
  public synchronized void onJobEnd(SparkListenerJobEnd end) {
    running--;
    notifyAll();
  }

  /** Waits until none of those that this has been told of runs. */
  synchronized void awaitNone(long seconds) throws InterruptedException, TimeoutException {
    Stopwatch waited = new Stopwatch();
    while (running > 0) {
      long left = TimeUnit.SECONDS.toNanos(seconds) - waited.elapsedNanos();
      if (left <= 0) {
        throw new TimeoutException(running + " jobs still run behind " + seconds + " s");
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }
}
