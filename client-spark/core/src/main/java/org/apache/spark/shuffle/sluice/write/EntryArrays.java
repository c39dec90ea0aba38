package org.apache.spark.shuffle.sluice.write;

import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Arrays for the entries of records, kept from one task to the next. G1 puts an array of half a
 * region or more (of 1 MiB at least, JEP 248) straight into the old generation, and each may start
 * a marking of the whole heap; a map task needs several, since they double. Whoever has one
 * accounts for it with its task memory manager; idle ones count nowhere, and are held so weakly
 * that the next marking takes them, as Spark's own allocator holds idle pages. Thread-safe.
 */
final class EntryArrays {
  /** Shorter ones the collector has for nothing. */
  private static final int LEAST_LENGTH = 1 << 15;

  private final int maxIdle;
  // By length. Guarded by this.
  private final Map<Integer, ArrayDeque<WeakReference<long[]>>> idle = new HashMap<>();

  /**
   * @param maxIdle how many of each length are kept
   */
  EntryArrays(int maxIdle) {
    this.maxIdle = maxIdle;
  }

  /** An array with anything in it, the caller's until it gives it back. */
  long[] take(int length) {
    long[] kept = length < LEAST_LENGTH ? null : poll(length);
    return kept == null ? new long[length] : kept;
  }

  private synchronized long @Nullable [] poll(int length) {
    ArrayDeque<WeakReference<long[]>> ofLength = idle.get(length);
    long[] kept = null;
    while (kept == null && ofLength != null && !ofLength.isEmpty()) {
      kept = ofLength.pop().get();
    }
    return kept;
  }

  /** Takes an array back; the caller must not use it again. */
  synchronized void giveBack(long[] array) {
    if (array.length < LEAST_LENGTH) {
      return;
    }
    ArrayDeque<WeakReference<long[]>> ofLength =
        idle.computeIfAbsent(array.length, length -> new ArrayDeque<>());
    ofLength.push(new WeakReference<>(array));
    if (ofLength.size() > maxIdle) {
      // The oldest, which has probably gone.
      ofLength.removeLast();
    }
  }
}
