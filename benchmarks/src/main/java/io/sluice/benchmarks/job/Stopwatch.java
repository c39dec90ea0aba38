package io.sluice.benchmarks.job;

import io.sluice.common.annotation.SuppressForbidden;

/** Measures. Here and not from the clock seam, as a job's jar carries no Sluice classes. */
@SuppressForbidden("a benchmark reads the clock")
public final class Stopwatch {
  private final long startNanos = System.nanoTime();

  /** Since it was made. */
  public long elapsedNanos() {
    return System.nanoTime() - startNanos;
  }
}
