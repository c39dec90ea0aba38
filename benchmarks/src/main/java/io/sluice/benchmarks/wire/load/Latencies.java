package io.sluice.benchmarks.wire.load;

import java.util.Arrays;

/**
 * Times in buckets that are a thirty-second of their power of two wide, so a percentile is wrong by
 * 3 % at most. One thread's.
 */
public final class Latencies {
  private static final int SUB_BITS = 5;
  private static final int SUBS = 1 << SUB_BITS;

  private final long[] counts = new long[Long.SIZE * SUBS];
  private long total;

  /** Forgets all. */
  public void clear() {
    Arrays.fill(counts, 0);
    total = 0;
  }

  /** Enters one. */
  public void add(long nanos) {
    counts[bucket(Math.max(0, nanos))]++;
    total++;
  }

  /** Enters all that others have. */
  public void addAll(Latencies others) {
    for (int i = 0; i < counts.length; i++) {
      counts[i] += others.counts[i];
    }
    total += others.total;
  }

  /**
   * The time that such a share of all did not exceed; 0 without any.
   *
   * @param share above 0, at most 1
   */
  public long percentile(double share) {
    long rank = (long) Math.ceil(share * total);
    long seen = 0;
    for (int i = 0; i < counts.length; i++) {
      seen += counts[i];
      if (seen >= rank && seen > 0) {
        return upperBound(i);
      }
    }
    return 0;
  }

  private static int bucket(long nanos) {
    int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos | SUBS);
    int shift = exponent - SUB_BITS;
    return (shift << SUB_BITS) + (int) (nanos >>> shift);
  }

  private static long upperBound(int bucket) {
    if (bucket < 2 * SUBS) {
      return bucket;
    }
    int shift = (bucket >> SUB_BITS) - 1;
    long top = (bucket & (SUBS - 1L)) + SUBS;
    return ((top + 1) << shift) - 1;
  }
}
