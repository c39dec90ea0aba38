package io.sluice.benchmarks.processors;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CacheLineTest {
  @Test
  void aLineGoesToTheOtherProcessorAndBack() throws InterruptedException {
    double nanos = new CacheLine().nanos();
    assertThat(nanos).isFinite().isNotNegative();
    if (Runtime.getRuntime().availableProcessors() > 1) {
      // No two processors do it within a clock cycle each way.
      assertThat(nanos).isGreaterThan(1);
    }
  }
}
