package io.sluice.benchmarks.processors;

/** How far apart two processors are at this moment. */
@FunctionalInterface
public interface RoundTrip {
  /**
   * Nanoseconds there and back from which on two processors share no cache. Cores under one cache
   * need 40 to 150, a processor's two threads less, and cores of different chips 200 to 400; seen
   * where this was needed first: 52 to 72 and 280 to 360, nothing between.
   */
  double NO_SHARED_CACHE = 200;

  /**
   * Measures, which takes some milliseconds and two processors.
   *
   * @return nanoseconds there and back; 0 where there is one processor alone
   */
  double nanos() throws InterruptedException;
}
