package io.sluice.server.flush;

import io.sluice.server.partition.MemoryRun;
import io.sluice.server.partition.PartitionBuffer;
import io.sluice.server.partition.Shuffle;
import io.sluice.server.partition.SortedRun;
import io.sluice.server.partition.StoredExtent;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.UnitBuilder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The runs that go to disk in one unit, held until they are published or given back. One step of a
 * flusher fills it, a later one ends it.
 */
final class FlushUnit {
  /** Partitions looked at beyond the planned range for runs that still fit. */
  private static final int LOOK_BEYOND = 64;

  private final List<Entry> entries = new ArrayList<>();
  private long bytes;

  private record Entry(PartitionBuffer partition, SortedRun sorted) {}

  /**
   * Claims and copies the oldest free run of each partition of a range, and of a few beyond it, as
   * long as they fit.
   *
   * @param taken which partitions to claim from
   * @return what was claimed, maybe nothing; nothing stays claimed if it throws
   */
  static FlushUnit fill(
      UnitBuilder unit,
      Shuffle shuffle,
      FlushPlanner.Range range,
      Predicate<PartitionBuffer> taken) {
    FlushUnit flush = new FlushUnit();
    try {
      flush.claim(unit, shuffle, range, taken);
    } catch (RuntimeException e) {
      flush.giveBack();
      throw e;
    }
    return flush;
  }

  private void claim(
      UnitBuilder unit,
      Shuffle shuffle,
      FlushPlanner.Range range,
      Predicate<PartitionBuffer> taken) {
    int end = Math.min(range.end() + LOOK_BEYOND, shuffle.endPartition());
    for (int number = range.first(); number < end; number++) {
      PartitionBuffer partition = shuffle.find(number);
      if (partition == null || partition.claimable() == 0 || !taken.test(partition)) {
        continue;
      }
      MemoryRun run = partition.claim(unit.remaining());
      if (run != null) {
        copy(partition, run, unit);
      } else if (number >= range.end()) {
        break;
      }
    }
  }

  private void copy(PartitionBuffer partition, MemoryRun run, UnitBuilder unit) {
    SortedRun sorted = SortedRun.of(run);
    entries.add(new Entry(partition, sorted));
    bytes += run.bytes();
    ByteBuffer target = unit.beginExtent(partition.partition());
    sorted.copyTo(unit, target);
    unit.endExtent();
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  long bytes() {
    return bytes;
  }

  /**
   * The unit is on disk: readers find the blocks there, then their memory goes.
   *
   * @param hugeBytes in stores, from which on a partition is huge
   * @return whether one has become huge by this
   */
  boolean publish(SegmentStore store, List<Extent> extents, long hugeBytes) {
    boolean huge = false;
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      PartitionBuffer partition = entry.partition;
      boolean before = partition.storedBytes() >= hugeBytes;
      // False if the shuffle was removed meanwhile; the store has dropped the extents then.
      partition.publish(entry.sorted, new StoredExtent(store, extents.get(i)));
      huge |= !before && partition.storedBytes() >= hugeBytes;
      entry.sorted.run().release();
    }
    return huge;
  }

  /** The unit is not on disk: the runs wait for another flush. */
  void giveBack() {
    for (Entry entry : entries) {
      entry.partition.unclaim(entry.sorted.run());
      entry.sorted.run().release();
    }
  }
}
