package io.sluice.server.partition;

import io.sluice.server.memory.TableBudget;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.SegmentStore;
import java.util.Locale;

/**
 * An extent and the disk it lies on. Immutable but for notes of how reading it went. Each is itself
 * only. Thread-safe.
 */
public final class StoredExtent {
  private static final long NEVER = Long.MIN_VALUE;
  private static final long SPARSE_ENTRY_BYTES = 2 * Integer.BYTES;

  private final SegmentStore store;
  private final Extent extent;
  private volatile boolean doubtful;
  // Nanoseconds.
  private volatile long lookedThrough = NEVER;

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

  /**
   * What is left of it when it is cut off.
   *
   * @param reached its beginning
   */
  public StoredExtent beginning(Extent reached) {
    StoredExtent beginning = new StoredExtent(store, reached);
    if (doubtful) {
      beginning.doubt();
    }
    return beginning;
  }

  /**
   * All of its headers were looked at. They are well, or it was cut off.
   *
   * @param now in nanoseconds
   */
  public void lookedThrough(long now) {
    lookedThrough = now;
  }

  /**
   * Whether that was lately: bytes on a disk can become bad at any time.
   *
   * @param now in nanoseconds
   * @param lately at most so many nanoseconds ago, exclusive
   */
  public boolean lookedThroughWithin(long lately, long now) {
    long then = lookedThrough;
    return then != NEVER && now - then < lately;
  }

  /** Where it lies, for people. */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%s segment %016x at %d, %d bytes of maps %d to %d",
        store.name(),
        extent.segment(),
        extent.offset(),
        extent.length(),
        extent.firstMap(),
        extent.lastMap());
  }

  /** What keeping it costs. */
  long heapBytes() {
    return heapBytes(extent);
  }

  /** What keeping one of these costs. */
  static long heapBytes(Extent extent) {
    return TableBudget.EXTENT_BYTES + SPARSE_ENTRY_BYTES * extent.sparseMaps().length;
  }
}
