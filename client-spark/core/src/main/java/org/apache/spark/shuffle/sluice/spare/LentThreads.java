package org.apache.spark.shuffle.sluice.spare;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes the threads of {@link SpareCores}: daemons, started on need, ended when idle. */
final class LentThreads {
  static final String NAME = "sluice-spare-core-";

  private static final int IDLE_SECONDS = 10;

  private LentThreads() {}

  /** A pool with a queue that {@link SpareCores} bounds: it has as many jobs there as threads. */
  static ThreadPoolExecutor atMost(int threads) {
    AtomicInteger number = new AtomicInteger();
    ThreadFactory factory =
        task -> {
          String name = NAME + number.getAndIncrement();
          // A task starts it: its thread-locals and its class loader are not for what outlives it.
          Thread thread = new Thread(null, task, name, 0, false);
          thread.setContextClassLoader(LentThreads.class.getClassLoader());
          thread.setDaemon(true);
          return thread;
        };
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
