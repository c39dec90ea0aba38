package io.sluice.server.partition;

import io.sluice.common.id.ShuffleKey;
import io.sluice.server.memory.TableBudget;
import io.sluice.server.segment.Extent;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** What extents take of the heap once they are taken up, as a {@link TableBudget} counts it. */
public final class TableNeed {
  private TableNeed() {}

  /** The extents alone, in bytes: the least that they can take. */
  public static long ofExtents(Collection<Extent> extents) {
    return extents.stream().mapToLong(StoredExtent::heapBytes).sum();
  }

  /**
   * Extents with their partitions and shuffles, in bytes: all that they take where nothing of these
   * shuffles is yet.
   */
  public static long of(Map<ShuffleKey, List<Extent>> byShuffle) {
    long bytes = 0;
    // One for all shuffles: as many of 128 KiB could be more than what is asked for.
    BitSet partitions = new BitSet();
    for (List<Extent> extents : byShuffle.values()) {
      partitions.clear();
      extents.forEach(extent -> partitions.set(extent.partition()));
      bytes += TableBudget.SHUFFLE_BYTES + ofPartitions(partitions) + ofExtents(extents);
    }
    return bytes;
  }

  private static long ofPartitions(BitSet partitions) {
    return partitions.cardinality() * TableBudget.PARTITION_BYTES
        + PartitionTable.heapBytes(partitions);
  }
}
