package io.sluice.server.damage;

import io.sluice.common.time.Scheduler;
import io.sluice.server.partition.PartitionBuffer;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Partitions of which something is yet to be looked at, and who waits for that. Thread-safe; who
 * asks of one that is not pending takes no lock.
 */
final class PendingPartitions {
  private static final Logger log = LoggerFactory.getLogger(PendingPartitions.class);

  private final Scheduler scheduler;
  private final ConcurrentHashMap<PartitionBuffer, Pending> partitions = new ConcurrentHashMap<>();

  PendingPartitions(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** One more look is to come, to be {@link #release released} once. */
  void hold(PartitionBuffer partition) {
    partitions.compute(
        partition,
        (key, there) -> {
          Pending pending = there == null ? new Pending() : there;
          pending.holds++;
          return pending;
        });
  }

  /** It is over. With the last one, whoever waits is woken. */
  void release(PartitionBuffer partition) {
    Set<LookWait> over = new LinkedHashSet<>();
    partitions.computeIfPresent(
        partition,
        (key, pending) -> {
          pending.holds--;
          if (pending.holds > 0) {
            return pending;
          }
          over.addAll(pending.waits);
          return null;
        });
    over.forEach(LookWait::end);
  }

  @Nullable LookWait await(PartitionBuffer partition, long nanos, Runnable wake) {
    // Nearly always empty: then it costs no hash, which would be noted in each partition.
    if (partitions.isEmpty() || !partitions.containsKey(partition)) {
      return null;
    }
    LookWait wait = new LookWait(scheduler.clock(), wake, left -> leave(partition, left));
    Pending there =
        partitions.computeIfPresent(
            partition,
            (key, pending) -> {
              pending.waits.add(wait);
              return pending;
            });
    if (there == null) {
      return null;
    }
    try {
      wait.endAfter(nanos, scheduler);
    } catch (RejectedExecutionException stopped) {
      log.debug("the server ends: nobody waits for looks", stopped);
      wait.close();
      return null;
    }
    return wait;
  }

  private void leave(PartitionBuffer partition, LookWait wait) {
    partitions.computeIfPresent(
        partition,
        (key, pending) -> {
          pending.waits.remove(wait);
          return pending;
        });
  }

  int size() {
    return partitions.size();
  }

  /** Within the map's own computations only. */
  private static final class Pending {
    private int holds;
    private final Set<LookWait> waits = new LinkedHashSet<>(2);
  }
}
