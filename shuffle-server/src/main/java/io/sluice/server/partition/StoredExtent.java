package io.sluice.server.partition;

import io.sluice.server.memory.TableBudget;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.SegmentStore;

/** An extent and the disk it lies on. Immutable. */
public record StoredExtent(SegmentStore store, Extent extent) {
  private static final long SPARSE_ENTRY_BYTES = 2 * Integer.BYTES;

  /** What keeping it costs. */
  long heapBytes() {
    return TableBudget.EXTENT_BYTES + SPARSE_ENTRY_BYTES * extent.sparseMaps().length;
  }
}
