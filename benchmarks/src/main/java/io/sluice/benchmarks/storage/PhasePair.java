package io.sluice.benchmarks.storage;

/** The engine and the raw disk in the same phase, right after each other. */
public record PhasePair(PhaseFigures engine, PhaseFigures floor) {
  /** What share of the raw disk's speed the engine reached. */
  public double ratio() {
    return engine.gbps() / floor.gbps();
  }
}
