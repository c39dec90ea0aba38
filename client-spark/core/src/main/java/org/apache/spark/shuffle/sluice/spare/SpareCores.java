package org.apache.spark.shuffle.sluice.spare;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;
import org.jspecify.annotations.Nullable;

/**
 * The cores of this process that no task uses, as far as is known here: its task slots, less the
 * tasks that write or read through Sluice, less what is lent already. A task at work has its core
 * to itself; only what is left is lent, so that nothing is lost where every slot has a task. Tasks
 * that never shuffle through Sluice are not seen.
 *
 * <p>No job waits for another one: what finds no core is refused, and its owner does it himself.
 * Thread-safe; never blocks.
 */
public final class SpareCores implements AutoCloseable {
  private final int slots;
  private final int tasksAtOnce;
  private final Executor threads;
  private final Runnable closing;

  // Attempt ids of the tasks at work. Guarded by this, as what follows.
  private final Set<Long> atWork = new HashSet<>();
  private int lent;
  private boolean closed;

  /**
   * @param slots tasks that the process runs at once
   * @param threads is given at most so many jobs at once
   * @param closing ends {@code threads}, which still run what they were given
   */
  public SpareCores(int slots, Executor threads, Runnable closing) {
    this(slots, slots, threads, closing);
  }

  private SpareCores(int slots, int tasksAtOnce, Executor threads, Runnable closing) {
    this.slots = slots;
    this.tasksAtOnce = Math.max(1, tasksAtOnce);
    this.threads = threads;
    this.closing = closing;
  }

  /** Those of this process; its threads are started when they are needed. */
  public static SpareCores of(SparkConf conf) {
    return of(conf, Runtime.getRuntime().availableProcessors());
  }

  /**
   * @param processors that the process may use
   */
  static SpareCores of(SparkConf conf, int processors) {
    int slots = TaskSlots.of(conf, processors);
    ThreadPoolExecutor threads = LentThreads.atMost(Math.max(1, slots));
    int tasksAtOnce = TaskSlots.configured(conf, processors);
    return new SpareCores(slots, tasksAtOnce, threads, threads::shutdown);
  }

  /**
   * Tasks that Spark may run at once in this process, at least 1: more than it has cores, if told
   * so; and never fewer than are at work, as with resource profiles, which it does not know of.
   */
  public synchronized int tasksAtOnce() {
    return Math.max(tasksAtOnce, atWork.size());
  }

  /**
   * Counts a task as at work until it ends; once, however many shuffles it writes and reads. To be
   * called before the task submits anything.
   */
  public void atWork(TaskContext task) {
    long attempt = task.taskAttemptId();
    if (begin(attempt)) {
      TaskCompletionListener ending = done -> end(attempt);
      task.addTaskCompletionListener(ending);
    }
  }

  /** Whether it is counted from now on, and was not before. */
  synchronized boolean begin(long attempt) {
    return atWork.add(attempt);
  }

  synchronized void end(long attempt) {
    atWork.remove(attempt);
  }

  /**
   * Has a job run on a core that is spare.
   *
   * @param job run at most once; what it throws is thrown to whoever waits for it
   * @return null if there is no such core, and nothing was done
   */
  public @Nullable Work submit(Runnable job) {
    if (!lend()) {
      return null;
    }
    AtomicBoolean given = new AtomicBoolean();
    Runnable giveBackOnce =
        () -> {
          if (given.compareAndSet(false, true)) {
            giveBack();
          }
        };
    Work work = new Work(job, giveBackOnce);
    try {
      threads.execute(work::begin);
      return work;
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      // Closed meanwhile, or the system has no more threads. In the latter case it may lie before
      // the threads all the same, and must not be run from there when its owner does it himself.
      if (!work.reclaim()) {
        return work;
      }
      giveBackOnce.run();
      return null;
    }
  }

  /** Whether {@link #submit} would have found one just now. */
  public synchronized boolean isAnySpare() {
    return !closed && slots - atWork.size() - lent > 0;
  }

  private synchronized boolean lend() {
    boolean spare = isAnySpare();
    lent += spare ? 1 : 0;
    return spare;
  }

  private synchronized void giveBack() {
    lent--;
  }

  /** Lends nothing any more. Jobs that were taken are still run, and nobody waits for them here. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    closing.run();
  }
}
