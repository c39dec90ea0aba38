package io.sluice.benchmarks.paired;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Five numbers for a sample; quartiles by linear interpolation between order statistics. */
public record Distribution(double min, double q1, double median, double q3, double max) {

  /** Of a sample of at least one. */
  public static Distribution of(double... sample) {
    if (sample.length == 0) {
      throw new IllegalArgumentException("an empty sample has no median");
    }
    double[] sorted = sample.clone();
    Arrays.sort(sorted);
    return new Distribution(
        sorted[0], at(sorted, 0.25), at(sorted, 0.5), at(sorted, 0.75), sorted[sorted.length - 1]);
  }

  /** Of one figure of each item. */
  public static <T> Distribution of(List<T> items, ToDoubleFunction<T> figure) {
    return of(items.stream().mapToDouble(figure).toArray());
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT, "%.2f (min %.2f, q1 %.2f, q3 %.2f, max %.2f)", median, min, q1, q3, max);
  }

  private static double at(double[] sorted, double share) {
    double position = share * (sorted.length - 1);
    int below = (int) position;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
  }
}
