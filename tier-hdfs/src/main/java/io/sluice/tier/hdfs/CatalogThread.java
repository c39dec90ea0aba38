package io.sluice.tier.hdfs;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that touches the local disk on which HDFS has its catalog, in the order in which
 * it is asked to; started with the first task. Who waits for a task gives it up after a while, so
 * that only this thread hangs with the disk: what was given up may still come about. Thread-safe.
 */
final class CatalogThread {
  private static final Logger log = LoggerFactory.getLogger(CatalogThread.class);

  /** More than can wait at once: a writer, one for chores, and who closes it. */
  private static final int QUEUED_MAX = 8;

  private final ThreadPoolExecutor thread;

  /**
   * @param ended called once, when nothing is done any more: after {@link #end}, and after whatever
   *     hung then
   */
  CatalogThread(Runnable ended) {
    thread =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(QUEUED_MAX),
            task -> {
              Thread started = new Thread(task, "hdfs-catalog");
              started.setDaemon(true);
              return started;
            }) {
          @Override
          protected void terminated() {
            ended.run();
          }
        };
  }

  /**
   * Has something done, and waits.
   *
   * @throws SluiceException the task's own; DISK_FAILED if it did not end in time, cannot begin, or
   *     failed otherwise
   */
  <T> T call(Callable<T> task, long patienceNanos) {
    return call(task, () -> 0, patienceNanos);
  }

  /**
   * The same for what may take long.
   *
   * @param progress grows as long as the disk gives something: waited for is as long as it does
   * @param patienceNanos without progress
   */
  <T> T call(Callable<T> task, LongSupplier progress, long patienceNanos) {
    try {
      Future<T> done = thread.submit(task);
      long before = progress.getAsLong();
      while (true) {
        try {
          return done.get(patienceNanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
          long now = progress.getAsLong();
          if (now == before) {
            throw failed("does not answer", e);
          }
          before = now;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed("was not waited for", e);
    } catch (RejectedExecutionException e) {
      throw failed("has not answered for a while", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof SluiceException own ? own : failed("failed", e);
    }
  }

  private static SluiceException failed(String what, Exception why) {
    return new SluiceException(
        ErrorCode.DISK_FAILED, "the local disk with the catalog of HDFS " + what, why);
  }

  /** Does this behind all else, and nothing any more; waits for it no longer than so. */
  void end(Runnable last, long patienceNanos) {
    boolean done = false;
    try {
      done =
          call(
              () -> {
                last.run();
                return true;
              },
              patienceNanos);
    } catch (SluiceException e) {
      log.warn("the catalog of HDFS was not closed", e);
    } finally {
      thread.shutdown();
    }
    if (done) {
      awaitEnd(patienceNanos);
    }
  }

  /** Of a thread that has nothing left to do. */
  private void awaitEnd(long patienceNanos) {
    try {
      if (!thread.awaitTermination(patienceNanos, TimeUnit.NANOSECONDS)) {
        log.warn("the thread of the catalog of HDFS takes long to end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
