package io.sluice.benchmarks.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.benchmarks.storage.disk.AccessCounts;
import org.junit.jupiter.api.Test;

class PhaseFiguresTest {
  /** 3 GB pushed, 1 GB fetched in 2 s. */
  private static final PhaseFigures MIXED =
      new PhaseFigures(
          4_000_000_000L,
          2,
          1,
          0.5,
          1.5,
          3_030_000_000L,
          3_000_000_000L,
          new AccessCounts(750, 3_000_000_000L, 1000, 1_100_000_000L, 80));

  @Test
  void dividesByWhatItSays() {
    assertThat(MIXED.gbps()).isEqualTo(2);
    assertThat(MIXED.cpuPerGb()).isEqualTo(0.25);
    assertThat(MIXED.underWay()).isEqualTo(0.75);
    assertThat(MIXED.writeAmplification()).isCloseTo(1.01, within(1e-9));
    assertThat(MIXED.readAmplification()).isCloseTo(1.1, within(1e-9));
    assertThat(MIXED.meanWrite()).isEqualTo(4_000_000);
    assertThat(MIXED.meanRead()).isEqualTo(1_100_000);
    assertThat(MIXED.seeksPerGb()).isEqualTo(20);
  }

  @Test
  void hasNoAmplificationOfWhatDidNotHappen() {
    PhaseFigures nothing = new PhaseFigures(10, 1, 0, 0, 0, 0, 0, AccessCounts.NONE);

    assertThat(nothing.writeAmplification()).isNaN();
    assertThat(nothing.meanWrite()).isNaN();
  }

  @Test
  void survivesTheWayBetweenProcesses() {
    assertThat(PhaseFigures.parse(MIXED.format())).isEqualTo(MIXED);
    assertThatThrownBy(() -> PhaseFigures.parse("1 2 3"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
