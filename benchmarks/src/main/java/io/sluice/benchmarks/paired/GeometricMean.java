package io.sluice.benchmarks.paired;

import io.sluice.cli.compare.Pair;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;

/**
 * One ratio for several cases: the geometric mean of each case's median, so that a case counts as
 * much as any other, however long it takes. How far it is to be trusted comes from the bootstrap
 * (Efron, "Bootstrap Methods", 1979, percentiles): pairs are drawn again within each case, with
 * replacement, {@value #DRAWS} times from a fixed seed, and 95 of 100 of such means are at most
 * {@code upper}.
 *
 * @param value of what was measured
 * @param upper one-sided bound, 95 %
 */
public record GeometricMean(double value, double upper) {
  private static final int DRAWS = 10_000;
  private static final double CONFIDENCE = 0.95;
  private static final long SEED = 42;

  /** Of at least one case. */
  public static GeometricMean of(List<CaseReport> cases, ToDoubleFunction<Pair> ratio) {
    List<double[]> ratios =
        cases.stream().map(c -> c.pairs().stream().mapToDouble(ratio).toArray()).toList();
    return of(ratios);
  }

  /** Of the ratios of each case, at least one case and one ratio in each. */
  static GeometricMean of(List<double[]> cases) {
    SplittableRandom random = new SplittableRandom(SEED);
    double[] means = new double[DRAWS];
    for (int draw = 0; draw < DRAWS; draw++) {
      means[draw] = mean(cases.stream().map(ratios -> drawn(ratios, random)).toList());
    }
    Arrays.sort(means);
    return new GeometricMean(mean(cases), means[(int) Math.ceil(CONFIDENCE * DRAWS) - 1]);
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%.2f (95 %% at most %.2f)", value, upper);
  }

  private static double mean(List<double[]> cases) {
    return Math.exp(
        cases.stream()
            .mapToDouble(ratios -> Math.log(Distribution.of(ratios).median()))
            .average()
            .orElseThrow());
  }

  private static double[] drawn(double[] ratios, SplittableRandom random) {
    double[] drawn = new double[ratios.length];
    for (int i = 0; i < drawn.length; i++) {
      drawn[i] = ratios[random.nextInt(ratios.length)];
    }
    return drawn;
  }
}
