package io.sluice.client.fake;

import java.util.Random;

/** What goes wrong in a {@link FakeCluster}, and how often. Probabilities per occasion. */
public final class Faults {
  public double dropConnectionPerPush;
  public double dropConnectionPerPiece;
  public double refuseConnection;
  public double duplicateBlock;
  public double corruptOnWire;
  public double corruptOnFetch;
  public double reorderBlocks;
  public double interleave;
  public double partialGrant;
  public double withholdRefund;
  public double splitPieces = 0.5;
  public long maxDelayNanos = 1_000_000;
  public final Random random;

  public Faults(long seed) {
    random = new Random(seed);
  }

  boolean happens(double probability) {
    return probability > 0 && random.nextDouble() < probability;
  }

  long delay() {
    return maxDelayNanos <= 0 ? 0 : (long) (random.nextDouble() * maxDelayNanos);
  }
}
