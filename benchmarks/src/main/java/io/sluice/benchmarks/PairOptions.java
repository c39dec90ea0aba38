package io.sluice.benchmarks;

import picocli.CommandLine.Option;

/** How often two sides are measured in turns; to be mixed in. */
public final class PairOptions {
  @Option(names = "--runs", description = "measured pairs", paramLabel = "N")
  private int runs;

  @Option(names = "--warmups", description = "pairs before those, thrown away", paramLabel = "N")
  private int warmups;

  /**
   * @param runs by default
   */
  public PairOptions(int runs) {
    this(2, runs);
  }

  /**
   * @param warmups by default
   * @param runs by default
   */
  public PairOptions(int warmups, int runs) {
    this.warmups = warmups;
    this.runs = runs;
  }

  public int runs() {
    return runs;
  }

  public int warmups() {
    return warmups;
  }

  /**
   * @throws io.sluice.cli.CommandFailedException if a number is too small
   */
  public void check() {
    Arguments.atLeast(1, "--runs", runs);
    Arguments.atLeast(0, "--warmups", warmups);
  }
}
