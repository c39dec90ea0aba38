package io.sluice.benchmarks.paired;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class DistributionTest {
  @Test
  void interpolatesBetweenOrderStatistics() {
    assertThat(Distribution.of(4, 1, 3, 2)).isEqualTo(new Distribution(1, 1.75, 2.5, 3.25, 4));
  }

  @Test
  void oneValueIsAllFive() {
    assertThat(Distribution.of(7)).isEqualTo(new Distribution(7, 7, 7, 7, 7));
  }

  @Test
  void refusesAnEmptySample() {
    assertThatThrownBy(Distribution::of).isInstanceOf(IllegalArgumentException.class);
  }
}
