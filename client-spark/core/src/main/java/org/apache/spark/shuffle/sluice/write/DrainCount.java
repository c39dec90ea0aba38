package org.apache.spark.shuffle.sluice.write;

/**
 * What a map's records held, from drain to drain: the most at once, and what of it was drained
 * because there was no more memory, which is Spark's spill. Used by the task's thread.
 */
final class DrainCount {
  private long peakBytes;
  private long spilledBytes;

  /** Why records are drained. */
  enum Why {
    /** There are no more, or a bound of ours is reached. */
    OURS,
    /**
     * Spark has no more memory, or a bound of its own is reached: all that is held counts as spill,
     * given back or used again.
     */
    SPARKS
  }

  /** So many bytes are about to be drained. */
  void drained(long heldBytes, Why why) {
    held(heldBytes);
    spilledBytes += why == Why.SPARKS ? heldBytes : 0;
  }

  /** So many bytes are held, or were until now. */
  void held(long bytes) {
    peakBytes = Math.max(peakBytes, bytes);
  }

  /** Most that was ever held, as far as was told. */
  long peakBytes() {
    return peakBytes;
  }

  /** Bytes that were drained for {@link Why#SPARKS}. */
  long spilledBytes() {
    return spilledBytes;
  }
}
