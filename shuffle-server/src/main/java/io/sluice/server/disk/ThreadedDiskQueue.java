package io.sluice.server.disk;

import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads of a disk's own, started with the first task of their kind. A slow disk so slows nobody
 * but itself.
 */
public final class ThreadedDiskQueue implements DiskQueue {
  private static final int LOOKS = 30;

  /**
   * Chores that wait beside the one that runs. Of each kind one at most: a sweep, a probe, a
   * question for the room there is, a step of a tally, one of a sync, and room for a start, which
   * the last step of a sync hands in. And one step of a sync that was given up. What finds no place
   * would be told that the disk is closed, and so keep a life from being sealed.
   */
  private static final int CHORES = 7;

  private final ThreadPoolExecutor readers;
  private final ThreadPoolExecutor writers;
  private final ThreadPoolExecutor chores;
  private final long lookNanos;
  private volatile boolean stuck;

  /** Waits at its end for half a minute, as long as kernels do for a command. */
  public ThreadedDiskQueue(String label, DiskOptions options) {
    this(label, options, TimeUnit.SECONDS.toNanos(30));
  }

  /**
   * @param label begins the threads' names
   * @param patienceNanos how long the end waits while no task ends
   */
  public ThreadedDiskQueue(String label, DiskOptions options, long patienceNanos) {
    lookNanos = patienceNanos / LOOKS;
    // Callers keep one read a thread; each may hand in its successor while it ends.
    readers = pool(label + "-read", options.readThreads(), options.readThreads());
    writers = pool(label + "-write", options.writesAtOnce(), options.stagingBuffers());
    chores = pool(label + "-chore", 1, CHORES);
  }

  private static ThreadPoolExecutor pool(String name, int threads, int queued) {
    AtomicInteger number = new AtomicInteger();
    ThreadFactory factory =
        task -> {
          Thread thread = new Thread(task, name + "-" + number.getAndIncrement());
          thread.setDaemon(true);
          return thread;
        };
    return new ThreadPoolExecutor(
        threads, threads, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(queued), factory);
  }

  @Override
  public boolean read(Runnable task) {
    return offer(readers, task);
  }

  @Override
  public boolean write(Runnable task) {
    return offer(writers, task);
  }

  @Override
  public boolean chore(Runnable task) {
    return offer(chores, task);
  }

  private static boolean offer(ThreadPoolExecutor pool, Runnable task) {
    try {
      pool.execute(task);
      return true;
    } catch (RejectedExecutionException fullOrClosed) {
      return false;
    }
  }

  @Override
  public synchronized void close() {
    boolean interrupted = false;
    for (ThreadPoolExecutor pool : List.of(readers, writers, chores)) {
      pool.shutdown();
      interrupted |= stop(pool);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public boolean isStuck() {
    return stuck;
  }

  /**
   * Waits as long as the disk takes, since cutting a write short would tear it; but not for one
   * that does not answer, with which the process could not end but by SIGKILL. Returns whether the
   * thread was interrupted.
   */
  private boolean stop(ThreadPoolExecutor pool) {
    boolean interrupted = false;
    int looksInVain = 0;
    long ended = pool.getCompletedTaskCount();
    while (true) {
      try {
        if (pool.awaitTermination(lookNanos, TimeUnit.NANOSECONDS)) {
          return interrupted;
        }
      } catch (InterruptedException e) {
        interrupted = true;
        continue;
      }
      long before = ended;
      ended = pool.getCompletedTaskCount();
      looksInVain = ended == before ? looksInVain + 1 : 0;
      if (looksInVain >= LOOKS) {
        stuck = true;
        return interrupted;
      }
    }
  }
}
