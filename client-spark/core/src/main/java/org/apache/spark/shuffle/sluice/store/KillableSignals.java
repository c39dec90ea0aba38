package org.apache.spark.shuffle.sluice.store;

import io.sluice.client.TaskSignal;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.sluice.line.TaskKills;

/**
 * Waits that end with the task that waits. Spark kills most tasks without an interrupt ({@code
 * spark.job.interruptOnCancel}), and one that waits for a server would go on until that answers or
 * a deadline has passed.
 *
 * <p>No killed task begins to wait, and what wakes one finds out that it was killed. Where Spark
 * tells of kills ({@link TaskKills}) that wakes it too, at once. What is thrown is Spark's {@code
 * TaskKilledException}. Who waits outside of a task waits as he did. Thread-safe.
 *
 * <p>A task keeps what listens for its kill for as long as it runs, and may open thousands of
 * readers: that is the signal alone, less than 100 bytes, and not who waits by it.
 */
public final class KillableSignals implements TaskSignal.Factory {
  private final TaskSignal.Factory signals;

  /**
   * @param signals how to wait
   */
  public KillableSignals(TaskSignal.Factory signals) {
    this.signals = signals;
  }

  /** A signal for the calling task: it may be waited for on another thread that works for that. */
  @Override
  public TaskSignal create() {
    TaskSignal signal = signals.create();
    TaskContext task = TaskContext.get();
    if (task == null) {
      return signal;
    }
    TaskKills.tell(task, signal::signal);
    return new Killable(signal, task);
  }

  private static final class Killable implements TaskSignal {
    private final TaskSignal signal;
    private final TaskContext task;

    Killable(TaskSignal signal, TaskContext task) {
      this.signal = signal;
      this.task = task;
    }

    @Override
    public void await() throws InterruptedException {
      task.killTaskIfInterrupted();
      signal.await();
      task.killTaskIfInterrupted();
    }

    @Override
    public void signal() {
      signal.signal();
    }
  }
}
