package io.sluice.cli.spark;

import java.util.Locale;

/**
 * What a result is, whatever the order of its rows: their number and the sum and exclusive-or of
 * their 64-bit hashes. Two results that differ in one row differ here but for a chance of about
 * 2<sup>-64</sup>; swapping, losing or doubling rows cannot cancel out in all three.
 *
 * @param ordered whether rows came in the order the workload promises; true where it promises none
 */
public record Fingerprint(long rows, long sum, long xor, boolean ordered) {

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%016x-%016x", sum, xor);
  }
}
