package io.sluice.server.partition;

import io.sluice.server.memory.TableBudget;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.SegmentStore;

/**
 * An extent and the disk it lies on. Immutable but for notes of how reading it went. Each is itself
 * only. Thread-safe.
 */
public final class StoredExtent {
  private static final long SPARSE_ENTRY_BYTES = 2 * Integer.BYTES;

  private final SegmentStore store;
  private final Extent extent;
  private volatile boolean doubtful;
  private volatile boolean whole;

  public StoredExtent(SegmentStore store, Extent extent) {
    this.store = store;
    this.extent = extent;
  }

  public SegmentStore store() {
    return store;
  }

  public Extent extent() {
    return extent;
  }

  /**
   * A read of it failed, or of what lies beside it, for whatever reason: the next reader had better
   * leave it to the last.
   */
  public void doubt() {
    doubtful = true;
  }

  /** Whether it was ever in doubt. */
  public boolean doubtful() {
    return doubtful;
  }

  /** All of its headers were looked at and are well. */
  public void foundWhole() {
    whole = true;
  }

  /** Whether that was ever so. */
  public boolean knownWhole() {
    return whole;
  }

  /** What keeping it costs. */
  long heapBytes() {
    return TableBudget.EXTENT_BYTES + SPARSE_ENTRY_BYTES * extent.sparseMaps().length;
  }
}
