package io.sluice.benchmarks.paired;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class GeometricMeanTest {
  @Test
  void isThatOfTheMediansOfCases() {
    GeometricMean mean =
        GeometricMean.of(List.of(new double[] {0.1, 0.5, 9}, new double[] {2, 2, 2}));

    assertThat(mean.value()).isEqualTo(1, within(1e-12));
  }

  @Test
  void casesThatNeverVaryAreCertain() {
    GeometricMean mean = GeometricMean.of(List.of(new double[] {0.8, 0.8, 0.8}));

    assertThat(mean.upper()).isEqualTo(mean.value()).isEqualTo(0.8, within(1e-12));
  }

  /** The median of two draws of {1, 3} is 3 with a quarter, which is more than one in twenty. */
  @Test
  void theBoundIsWhatOneDrawInTwentyExceeds() {
    assertThat(GeometricMean.of(List.of(new double[] {1, 3})).upper()).isEqualTo(3, within(1e-9));
  }

  /**
   * Nine pairs, one of them far off: a median of nine draws is that one only if it is drawn five
   * times, about once in 700.
   */
  @Test
  void onePairThatIsFarOffDoesNotMoveTheBound() {
    double[] ratios = {0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 50};

    assertThat(GeometricMean.of(List.of(ratios)).upper()).isEqualTo(0.8, within(1e-9));
  }
}
