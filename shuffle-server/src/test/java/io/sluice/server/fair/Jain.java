package io.sluice.server.fair;

import java.util.stream.DoubleStream;

/** R. Jain's index of fairness: 1 if all have the same, 1/n if one of n has everything. */
public final class Jain {
  private Jain() {}

  /** Of so many shares. */
  public static double index(double[] shares) {
    double sum = DoubleStream.of(shares).sum();
    double squares = DoubleStream.of(shares).map(share -> share * share).sum();
    return squares == 0 ? 1 : sum * sum / (shares.length * squares);
  }
}
