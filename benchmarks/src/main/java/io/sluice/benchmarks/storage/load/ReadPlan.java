package io.sluice.benchmarks.storage.load;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Hands out the partitions of a plan's shuffles to reduce tasks, one at a time, in order.
 * Thread-safe.
 */
final class ReadPlan {
  private final BlockPlan plan;
  private final AtomicLong next = new AtomicLong();

  ReadPlan(BlockPlan plan) {
    this.plan = plan;
  }

  /** One partition of one shuffle. */
  record Task(int shuffle, int partition) {}

  /** The next, or null if there is none left. */
  @Nullable Task next() {
    long task = next.getAndIncrement();
    return task < (long) plan.shuffles() * plan.partitions()
        ? new Task((int) (task / plan.partitions()), (int) (task % plan.partitions()))
        : null;
  }
}
