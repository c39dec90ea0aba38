package org.apache.spark.shuffle.sluice.write;

import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Arrays for map tasks' records and their entries, kept from one task to the next. What a task
 * holds while the collector runs is copied, up to all that a map collects each time; what was there
 * before the task is in the old generation already. And G1 puts an array of half a region or more
 * (of 1 MiB at least, JEP 248) straight into the old generation, and each may start a marking of
 * the whole heap.
 *
 * <p>Whoever has an array accounts for it with its task memory manager; idle ones count nowhere,
 * and are held so weakly that the next marking takes them, as Spark's own allocator holds idle
 * pages of a mebibyte or more. Thread-safe.
 */
final class TaskArrays {
  /** Shorter ones the collector has for nothing. */
  private static final int LEAST_LENGTH = 1 << 15;

  private final int maxIdle;
  private final long maxIdleBytes;
  private final IntFunction<long[]> heap;
  // By length. Guarded by this.
  private final Map<Integer, ArrayDeque<WeakReference<long[]>>> idle = new HashMap<>();

  /**
   * @param maxIdle how many of each length are kept
   * @param maxIdleBytes of each length that are kept where that is more
   */
  TaskArrays(int maxIdle, long maxIdleBytes) {
    this(maxIdle, maxIdleBytes, long[]::new);
  }

  /**
   * @param heap makes arrays of a length
   */
  TaskArrays(int maxIdle, long maxIdleBytes, IntFunction<long[]> heap) {
    this.maxIdle = maxIdle;
    this.maxIdleBytes = maxIdleBytes;
    this.heap = heap;
  }

  /** An array with anything in it, the caller's until it gives it back. */
  long[] take(int length) {
    long[] kept = isKept(length) ? poll(length) : null;
    return kept == null ? heap.apply(length) : kept;
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
    if (!isKept(array.length)) {
      return;
    }
    ArrayDeque<WeakReference<long[]>> ofLength =
        idle.computeIfAbsent(array.length, length -> new ArrayDeque<>());
    ofLength.push(new WeakReference<>(array));
    if (ofLength.size() > Math.max(maxIdle, maxIdleBytes / Long.BYTES / array.length)) {
      // The oldest, which has probably gone.
      ofLength.removeLast();
    }
  }

  /** Powers of two, so that there are few lengths: others are of single long records. */
  private static boolean isKept(int length) {
    return length >= LEAST_LENGTH && Integer.bitCount(length) == 1;
  }
}
