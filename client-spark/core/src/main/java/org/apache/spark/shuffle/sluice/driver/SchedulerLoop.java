package org.apache.spark.shuffle.sluice.driver;

import java.util.Properties;
import java.util.concurrent.Executor;
import org.apache.spark.scheduler.DAGScheduler;
import org.apache.spark.scheduler.Task;
import org.apache.spark.scheduler.TaskSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * The thread on which Spark's scheduler does one thing after the other, as an executor: between two
 * of its events, in their order. Never blocks. Of a scheduler that has stopped it runs nothing any
 * more, and says nothing.
 *
 * <p>Spark has no event for that. The one that a set of tasks has failed is as good: all that the
 * scheduler does with it is to ask the set for its stage, on that thread, and to fail the stage if
 * there is one of that number; so in 3.5.9 to 4.2.0. A set that belongs to no stage leaves no
 * trace, neither in what the scheduler knows nor in listeners' events or the log.
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
    scheduler.taskSetFailed(new NoTasks(task), "no task of it has failed", Option.empty());
  }

  private static final class NoTasks extends TaskSet {
    private static final int NO_STAGE = -1;

    // The poster's, then the scheduler's.
    private @Nullable Runnable task;

    NoTasks(Runnable task) {
      super(new Task<?>[0], NO_STAGE, 0, 0, new Properties(), 0, Option.empty());
      this.task = task;
    }

    /** The scheduler asks, once. */
    @Override
    public int stageId() {
      Runnable asked = task;
      task = null;
      if (asked != null) {
        run(asked);
      }
      return NO_STAGE;
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
