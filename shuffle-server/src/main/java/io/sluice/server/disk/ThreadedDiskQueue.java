package io.sluice.server.disk;

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
  private final ThreadPoolExecutor readers;
  private final ThreadPoolExecutor writers;
  private final ThreadPoolExecutor chores;

  /**
   * @param label begins the threads' names
   */
  public ThreadedDiskQueue(String label, DiskOptions options) {
    // Callers keep one read a thread; each may hand in its successor while it ends.
    readers = pool(label + "-read", options.readThreads(), options.readThreads());
    writers = pool(label + "-write", options.writesAtOnce(), options.stagingBuffers());
    // One sweep running and its successor, and a probe.
    chores = pool(label + "-chore", 1, 3);
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
  public void close() {
    stop(readers);
    stop(writers);
    stop(chores);
  }

  /** Waits as long as the disk takes: cutting a write short would tear it. */
  private static void stop(ThreadPoolExecutor pool) {
    pool.shutdown();
    boolean interrupted = false;
    while (true) {
      try {
        if (pool.awaitTermination(1, TimeUnit.DAYS)) {
          break;
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
