package io.sluice.server.flush;

import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import io.sluice.server.lifecycle.ShuffleRegistry;
import io.sluice.server.metrics.ServerStats;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * What the flushers of all disks share.
 *
 * @param settled told that a flusher has run out of things to do for now
 * @param retryElsewhere told that a disk has failed, or takes seconds for a unit
 * @param choice which of them takes; there once all flushers are
 */
record FlushContext(
    FlushLimits limits,
    FlushGauge gauge,
    ShuffleRegistry registry,
    Executor executor,
    Scheduler scheduler,
    ServerStats stats,
    Runnable settled,
    Runnable retryElsewhere,
    Supplier<StoreChoice> choice) {
  Clock clock() {
    return scheduler.clock();
  }

  int unitBytes() {
    return limits.unitBytes();
  }

  long retryNanos() {
    return limits.retryNanos();
  }
}
