package org.apache.spark.shuffle.sluice.spare;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A job that a spare core took. Either its thread runs it or whoever submitted it takes it back:
 * the first to want it has it, and the other never runs it. What the job wrote is visible to
 * whoever waited for it. Wherever it runs it finds classes as that thread does. The methods are for
 * the one thread that submitted it.
 *
 * <p>Looks wrong, is intentional: the core of a job that was taken back counts as lent until its
 * thread has come by and seen so. That bounds what lies before the threads, and a thread that does
 * not come has no core to run on.
 */
public final class Work {
  private final Runnable job;
  private final Runnable giveBack;
  // The job may make what a class of the user's is, which only its task's loader may know.
  private final @Nullable ClassLoader classes = Thread.currentThread().getContextClassLoader();
  private final AtomicBoolean taken = new AtomicBoolean();
  private final CountDownLatch over = new CountDownLatch(1);
  private @Nullable Throwable failure; // written before it is over, read afterwards

  /**
   * @param giveBack gives the core back; run once, on the core's thread
   */
  Work(Runnable job, Runnable giveBack) {
    this.job = job;
    this.giveBack = giveBack;
  }

  /** On the core's thread. */
  void begin() {
    boolean mine = take();
    Thread core = Thread.currentThread();
    ClassLoader before = core.getContextClassLoader();
    try {
      if (mine) {
        core.setContextClassLoader(classes);
        job.run();
      }
    } catch (Throwable e) { // the thread's edge: thrown to whoever waits
      failure = e;
    } finally {
      core.setContextClassLoader(before);
      // First, so that whoever waited finds the core spare.
      giveBack.run();
      if (mine) {
        over.countDown();
      }
    }
  }

  private boolean take() {
    return taken.compareAndSet(false, true);
  }

  /**
   * Takes the job back.
   *
   * @return whether it had not begun, and never will: then it is the caller's to run
   */
  public boolean reclaim() {
    boolean mine = take();
    if (mine) {
      over.countDown();
    }
    return mine;
  }

  /** Whether the job ended, or was taken back. */
  public boolean isOver() {
    return over.getCount() == 0;
  }

  /**
   * Waits until the job is over, and throws what it threw. A job that was taken back is over.
   *
   * @throws InterruptedException the job may be running still
   */
  public void await() throws InterruptedException {
    over.await();
    Throwable thrown = failure;
    if (thrown instanceof Error) {
      throw (Error) thrown;
    }
    if (thrown instanceof RuntimeException) {
      throw (RuntimeException) thrown;
    }
    if (thrown != null) {
      throw new IllegalStateException("a job threw what it does not declare", thrown);
    }
  }

  /**
   * Sees the job done: on the calling thread if it had not begun, else by waiting for it. Throws
   * what it throws.
   *
   * @throws InterruptedException the job may be running still
   */
  public void finish() throws InterruptedException {
    if (reclaim()) {
      job.run();
    } else {
      await();
    }
  }

  /**
   * Sees the job over, done or not, so that what it works on can be given back. Waits for one that
   * runs, interrupted or not, and ignores what it throws.
   */
  public void abandon() {
    reclaim();
    boolean interrupted = false;
    while (true) {
      try {
        over.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
