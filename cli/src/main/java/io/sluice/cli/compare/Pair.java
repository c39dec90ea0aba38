package io.sluice.cli.compare;

/** Two runs of the same job, one right after the other. */
public record Pair(Measurement candidate, Measurement baseline) {

  public double wallRatio() {
    return candidate.result().seconds() / baseline.result().seconds();
  }

  public double cpuRatio() {
    return candidate.cpuSeconds() / baseline.cpuSeconds();
  }

  /** Of the engine's processes alone: what servers took is left out. */
  public double clientCpuRatio() {
    return candidate.sparkCpuSeconds() / baseline.sparkCpuSeconds();
  }

  /** Whether both gave the same rows, in order where order is promised. */
  public boolean equal() {
    return candidate.result().fingerprint().equals(baseline.result().fingerprint())
        && candidate.result().fingerprint().ordered();
  }
}
