package io.sluice.cli.bench;

import java.util.Arrays;

/** Nanoseconds that something took, as often as it was tried. Of one thread at a time. */
final class Latencies {
  /** Enough for a p99; 512 KB for each server. */
  static final int MAX = 1 << 16;

  private long[] nanos = new long[64];
  private int size;

  /** Adds one; beyond {@link #MAX} none is taken any more. */
  void add(long one) {
    if (size == MAX) {
      return;
    }
    if (size == nanos.length) {
      nanos = Arrays.copyOf(nanos, 2 * size);
    }
    nanos[size++] = one;
  }

  void addAll(Latencies others) {
    for (int i = 0; i < others.size; i++) {
      add(others.nanos[i]);
    }
  }

  int size() {
    return size;
  }

  /**
   * The smallest that so many are not above, in milliseconds; NaN of none.
   *
   * @param share above 0, up to 1
   */
  double millis(double share) {
    if (size == 0) {
      return Double.NaN;
    }
    long[] sorted = Arrays.copyOf(nanos, size);
    Arrays.sort(sorted);
    return sorted[(int) Math.ceil(share * size) - 1] / 1e6;
  }
}
