package io.sluice.benchmarks.storage.load;

import io.sluice.server.partition.MapRange;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Hands out partitions of a plan's shuffles, or ranges of maps of them, to reduce tasks, one at a
 * time, in order. Thread-safe.
 */
final class ReadPlan {
  private final int shuffles;
  private final int firstPartition;
  private final int partitions;
  private final List<MapRange> tasks;
  private final AtomicLong next = new AtomicLong();

  private ReadPlan(int shuffles, int firstPartition, int partitions, List<MapRange> tasks) {
    this.shuffles = shuffles;
    this.firstPartition = firstPartition;
    this.partitions = partitions;
    this.tasks = tasks;
  }

  /** Every partition so many times, one time right after the other. */
  static ReadPlan all(BlockPlan plan, int times) {
    return new ReadPlan(
        plan.shuffles(), 0, plan.partitions(), Collections.nCopies(times, MapRange.ALL));
  }

  /** Every partition once, in so many ranges of maps of about the same number, one map at least. */
  static ReadPlan ranges(BlockPlan plan, int most) {
    int ranges = Math.min(most, plan.maps());
    List<MapRange> all =
        IntStream.range(0, ranges)
            .mapToObj(i -> new MapRange(begin(plan, i, ranges), begin(plan, i + 1, ranges)))
            .toList();
    return new ReadPlan(plan.shuffles(), 0, plan.partitions(), all);
  }

  private static int begin(BlockPlan plan, int range, int ranges) {
    return (int) ((long) plan.maps() * range / ranges);
  }

  /** One partition of each shuffle, once. */
  static ReadPlan only(BlockPlan plan, int partition) {
    return new ReadPlan(plan.shuffles(), partition, 1, List.of(MapRange.ALL));
  }

  /** A range of maps of one partition of one shuffle. */
  record Task(int shuffle, int partition, MapRange maps) {}

  /** The next, or null if there is none left. */
  @Nullable Task next() {
    long number = next.getAndIncrement();
    long partition = number / tasks.size();
    return partition < (long) shuffles * partitions
        ? new Task(
            (int) (partition / partitions),
            firstPartition + (int) (partition % partitions),
            tasks.get((int) (number % tasks.size())))
        : null;
  }
}
