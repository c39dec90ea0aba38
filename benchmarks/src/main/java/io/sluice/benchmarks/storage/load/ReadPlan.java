package io.sluice.benchmarks.storage.load;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Hands out partitions of a plan's shuffles to reduce tasks, one at a time, in order. Thread-safe.
 */
final class ReadPlan {
  private final int shuffles;
  private final int firstPartition;
  private final int partitions;
  private final int times;
  private final AtomicLong next = new AtomicLong();

  private ReadPlan(int shuffles, int firstPartition, int partitions, int times) {
    this.shuffles = shuffles;
    this.firstPartition = firstPartition;
    this.partitions = partitions;
    this.times = times;
  }

  /** Every partition so many times, one time right after the other. */
  static ReadPlan all(BlockPlan plan, int times) {
    return new ReadPlan(plan.shuffles(), 0, plan.partitions(), times);
  }

  /** One partition of each shuffle, once. */
  static ReadPlan only(BlockPlan plan, int partition) {
    return new ReadPlan(plan.shuffles(), partition, 1, 1);
  }

  /** One partition of one shuffle. */
  record Task(int shuffle, int partition) {}

  /** The next, or null if there is none left. */
  @Nullable Task next() {
    long task = next.getAndIncrement() / times;
    return task < (long) shuffles * partitions
        ? new Task((int) (task / partitions), firstPartition + (int) (task % partitions))
        : null;
  }
}
