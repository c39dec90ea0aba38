package org.apache.spark.shuffle.sluice.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CompressionSamplerTest {
  private final CompressionSampler sampler = new CompressionSampler();

  @Test
  void triesEveryBlockWhileBlocksShrink() {
    for (int i = 0; i < 100; i++) {
      assertThat(sampler.shouldTry()).isTrue();
      assertThat(sampler.isWorthwhile(1000, 950)).isTrue();
    }
  }

  @Test
  void samplesAfterSomeBlocksInARowDidNotShrink() {
    giveUp();
    assertThat(tries(10 * CompressionSampler.SAMPLE)).isEqualTo(10);
  }

  @Test
  void triesAllAgainOnceASampleShrinks() {
    giveUp();
    while (!sampler.shouldTry()) {
      // Until the sample.
    }
    assertThat(sampler.isWorthwhile(1000, 500)).isTrue();
    assertThat(sampler.shouldTry()).isTrue();
    assertThat(sampler.isWorthwhile(1000, 999)).isFalse();
    assertThat(sampler.shouldTry()).isTrue();
  }

  @Test
  void aFewFailuresBetweenSuccessesChangeNothing() {
    for (int i = 0; i < 100; i++) {
      assertThat(sampler.shouldTry()).isTrue();
      boolean shrinks = i % CompressionSampler.PATIENCE == 0;
      assertThat(sampler.isWorthwhile(1000, shrinks ? 10 : 1000)).isEqualTo(shrinks);
    }
  }

  private void giveUp() {
    for (int i = 0; i < CompressionSampler.PATIENCE; i++) {
      assertThat(sampler.shouldTry()).isTrue();
      assertThat(sampler.isWorthwhile(1000, 951)).isFalse();
    }
  }

  private long tries(int blocks) {
    return IntStream.range(0, blocks)
        .filter(i -> sampler.shouldTry() && !sampler.isWorthwhile(1000, 1000))
        .count();
  }
}
