package io.sluice.simulation.time;

import java.util.List;
import java.util.SplittableRandom;

/** The only source of chance: everything drawn follows from the seed and the order of the draws. */
public final class Dice {
  private final SplittableRandom random;

  public Dice(long seed) {
    this(new SplittableRandom(seed));
  }

  private Dice(SplittableRandom random) {
    this.random = random;
  }

  /** Dice of their own, so that what one component draws does not shift what another one does. */
  public Dice fork() {
    return new Dice(random.split());
  }

  public boolean chance(double probability) {
    return probability > 0 && random.nextDouble() < probability;
  }

  /** Uniform in {@code [low, high]}. */
  public int between(int low, int high) {
    return low + random.nextInt(high - low + 1);
  }

  /** Uniform in {@code [low, high]}. */
  public long between(long low, long high) {
    return low + random.nextLong(high - low + 1);
  }

  /** In {@code [low, high]} with the logarithm uniform: small values as likely as large ones. */
  public long skewed(long low, long high) {
    double exponent = random.nextDouble() * Math.log((double) (high + 1) / low);
    return Math.min(high, (long) (low * Math.exp(exponent)));
  }

  public long nextLong() {
    return random.nextLong();
  }

  public void fill(byte[] bytes) {
    random.nextBytes(bytes);
  }

  public <T> T pick(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }
}
