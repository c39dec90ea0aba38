package io.sluice.server.partition;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Neighbouring partitions. What could be claimed of each lies side by side here and not in the
 * partitions, because whoever chooses what to flush looks at all of them for each unit: 20,000 are
 * 80 KB to read instead of 20,000 objects to visit. Lookups take no lock.
 */
final class PartitionPage {
  /** Partitions of a page. */
  static final int SIZE = 256;

  /** A reference and an int for each. */
  static final int HEAP_BYTES = SIZE * 8;

  private final int first;
  private final AtomicReferenceArray<@Nullable PartitionBuffer> partitions =
      new AtomicReferenceArray<>(SIZE);
  private final AtomicIntegerArray claimable = new AtomicIntegerArray(SIZE);

  /**
   * @param first number of its first partition, a multiple of {@value #SIZE}
   */
  PartitionPage(int first) {
    this.first = first;
  }

  int first() {
    return first;
  }

  /** The partition of a number that lies in this page. */
  @Nullable PartitionBuffer find(int partition) {
    return partitions.get(partition - first);
  }

  void put(PartitionBuffer made) {
    partitions.set(made.partition() - first, made);
  }

  void forEach(Consumer<PartitionBuffer> visitor) {
    for (int i = 0; i < SIZE; i++) {
      PartitionBuffer partition = partitions.get(i);
      if (partition != null) {
        visitor.accept(partition);
      }
    }
  }

  /** Under the partition's lock. */
  void setClaimable(int partition, int bytes) {
    claimable.setRelease(partition - first, bytes);
  }

  int claimable(int partition) {
    return claimable.getAcquire(partition - first);
  }

  /** Writes down what could be claimed of each partition, in order. */
  void copyClaimable(@Nullable Predicate<PartitionBuffer> wanted, long[] target, int from) {
    for (int i = 0; i < SIZE; i++) {
      target[from + i] = claimable(i, wanted);
    }
  }

  long sumClaimable(@Nullable Predicate<PartitionBuffer> wanted) {
    long sum = 0;
    for (int i = 0; i < SIZE; i++) {
      sum += claimable(i, wanted);
    }
    return sum;
  }

  private int claimable(int place, @Nullable Predicate<PartitionBuffer> wanted) {
    int bytes = claimable.getAcquire(place);
    if (bytes == 0 || wanted == null) {
      return bytes;
    }
    PartitionBuffer partition = partitions.get(place);
    return partition != null && wanted.test(partition) ? bytes : 0;
  }
}
