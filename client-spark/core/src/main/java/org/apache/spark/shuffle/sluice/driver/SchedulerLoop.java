package org.apache.spark.shuffle.sluice.driver;

import java.util.concurrent.Executor;
import org.apache.spark.scheduler.DAGScheduler;
import org.apache.spark.scheduler.JobCancelled;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * The thread on which Spark's scheduler does one thing after the other, as an executor: between two
 * of its events, in their order. Never blocks. Of a scheduler that has stopped it runs nothing any
 * more, and says nothing.
 *
 * <p>Spark has no event for that. The one that a job is to be cancelled is as good: all that the
 * scheduler does with it is to ask it for its job, on that thread, and to look whether there is one
 * of that number; so in 3.5.9 to 4.3.0. A number that no job has leaves no trace, neither in what
 * the scheduler knows nor in listeners' events, and in the log only for who debugs the scheduler.
 */
public final class SchedulerLoop implements Executor {
  private static final Logger LOG = LoggerFactory.getLogger(SchedulerLoop.class);

  private final DAGScheduler scheduler;

  public SchedulerLoop(DAGScheduler scheduler) {
    this.scheduler = scheduler;
  }

  /**
   * @param task must not wait for anything that the scheduler does. What it throws is logged: Spark
   *     would end the application for it
   */
  @Override
  public void execute(Runnable task) {
    scheduler.eventProcessLoop().post(new Turn(task));
  }

  private static final class Turn extends JobCancelled {
    private static final long serialVersionUID = 1;
    private static final int NO_JOB = -1;

    // The poster's, then the scheduler's.
    private transient @Nullable Runnable task;

    Turn(Runnable task) {
      super(NO_JOB, Option.empty());
      this.task = task;
    }

    /** The scheduler asks, once. */
    @Override
    public int jobId() {
      Runnable asked = task;
      task = null;
      if (asked != null) {
        run(asked);
      }
      return NO_JOB;
    }

    // What a case class says of itself it would ask for. Nobody copies it or takes it apart.

    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }

    @Override
    public String toString() {
      return "Turn";
    }

    private static void run(Runnable task) {
      try {
        task.run();
      } catch (Throwable failure) {
        if (failure instanceof InterruptedException) { // Undeclared, as from Scala: it is to stop.
          Thread.currentThread().interrupt();
        }
        LOG.error("A task on the thread of Spark's scheduler failed", failure);
      }
    }
  }
}
