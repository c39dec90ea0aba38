package org.apache.spark.shuffle.sluice.spare;

import io.sluice.common.lifecycle.OwnThreads;
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
    ThreadFactory factory = task -> OwnThreads.daemon(NAME + number.getAndIncrement(), task);
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
