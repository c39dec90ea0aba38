package io.sluice.benchmarks.processors;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CountedTest {
  private static final List<Double> ALL = List.of(300.0, 55.0, 60.0, 290.0);

  @Test
  void turnsWithoutASharedCacheAreLeftOutForOthers() {
    assertThat(Counted.areEnough(ALL, 2, nanos -> nanos)).isTrue();
    assertThat(Counted.of(ALL, 2, nanos -> nanos)).isEqualTo(new Counted<>(List.of(55.0, 60.0), 2));
  }

  @Test
  void allCountIfTooFewHadASharedCache() {
    assertThat(Counted.areEnough(ALL, 3, nanos -> nanos)).isFalse();
    assertThat(Counted.of(ALL, 3, nanos -> nanos)).isEqualTo(new Counted<>(ALL, 0));
  }

  @Test
  void oneProcessorNeedsNoSharedCache() {
    assertThat(Counted.of(List.of(0.0, 0.0), 2, nanos -> nanos).leftOut()).isZero();
  }
}
