package io.sluice.benchmarks.crowded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class CrowdedFiguresTest {
  @Test
  void readsWhatAClientAnswers() {
    CrowdedFigures figures = CrowdedFigures.parse("3000000000 2.5 1500000 20000000 0");
    assertThat(figures.gbps()).isCloseTo(1.2, within(1e-9));
    assertThat(figures.p50Millis()).isEqualTo(1.5);
    assertThat(figures.p99Millis()).isEqualTo(20);
    assertThat(figures.failures()).isZero();
    assertThat(figures.pressed()).isEmpty();
    assertThat(figures.pressedFailures()).isZero();
    assertThat(figures.fairness()).isEqualTo(1);
  }

  @Test
  void tellsHowEvenlyOthersFared() {
    CrowdedFigures even = CrowdedFigures.parse("1 1 1 1 0 700 700 700 700 2");
    assertThat(even.pressed()).hasSize(4);
    assertThat(even.pressedFailures()).isEqualTo(2);
    assertThat(even.fairness()).isCloseTo(1, within(1e-9));
    CrowdedFigures one = CrowdedFigures.parse("1 1 1 1 0 700 0 0 0 0");
    assertThat(one.fairness()).isCloseTo(0.25, within(1e-9));
  }
}
