package io.sluice.benchmarks.storage;

/**
 * The engine and the raw disk in the same phase, in turns.
 *
 * @param lineNanos a cache line's round trip between the processors, the longer of just before and
 *     just after both; 0 of a modelled disk, whose time is computed
 */
public record PhasePair(PhaseFigures engine, PhaseFigures floor, double lineNanos) {
  /** What share of the raw disk's speed the engine reached. */
  public double ratio() {
    return engine.gbps() / floor.gbps();
  }
}
