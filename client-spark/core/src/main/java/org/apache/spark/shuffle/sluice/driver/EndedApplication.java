package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.control.EndListener;
import io.sluice.common.error.SluiceException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.BiConsumer;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.jspecify.annotations.Nullable;

/**
 * Fails jobs with the reason why coordinators have ended the application: those that run, and those
 * that begin afterwards, since what they would read is gone. Without that Spark took what is gone
 * for lost, and computed it again to store it where it is refused. Thread-safe: jobs come and go on
 * Spark's listener thread, the end on the coordinator client's.
 */
public final class EndedApplication extends SparkListener implements EndListener {
  /**
   * Beyond these the oldest is forgotten: a listener bus that cannot keep up drops ends of jobs.
   */
  static final int RUNNING_MAX = 10_000;

  private final BiConsumer<Integer, String> cancel;

  // Guarded by this.
  private final Set<Integer> running = new LinkedHashSet<>();
  private @Nullable String why;

  /**
   * @param cancel fails a job, by its number, with a reason; must not wait
   */
  public EndedApplication(BiConsumer<Integer, String> cancel) {
    this.cancel = cancel;
  }

  @Override
  public synchronized void ended(SluiceException reason) {
    String text = "because its shuffles are gone: " + reason.detail();
    why = text;
    running.forEach(job -> cancel.accept(job, text));
  }

  @Override
  public synchronized void onJobStart(SparkListenerJobStart job) {
    running.add(job.jobId());
    if (running.size() > RUNNING_MAX) {
      running.remove(running.iterator().next());
    }
    if (why != null) {
      cancel.accept(job.jobId(), why);
    }
  }

  @Override
  public synchronized void onJobEnd(SparkListenerJobEnd job) {
    running.remove(job.jobId());
  }
}
