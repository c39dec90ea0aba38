package io.sluice.benchmarks.mapreduce;

/** Numbers that look random and are the same in every run: the finalizer of SplitMix64. */
final class Mix {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private Mix() {}

  static long of(long number) {
    long z = (number + 1) * GOLDEN;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
