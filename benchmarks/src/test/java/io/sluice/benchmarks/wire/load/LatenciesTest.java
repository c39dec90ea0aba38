package io.sluice.benchmarks.wire.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LatenciesTest {
  private final Latencies latencies = new Latencies();

  @Test
  void nothingHasNoPercentile() {
    assertThat(latencies.percentile(0.5)).isZero();
  }

  @Test
  void percentilesAreWithinThreePercent() {
    for (long i = 1; i <= 100_000; i++) {
      latencies.add(i * 1000);
    }
    assertThat(latencies.percentile(0.5)).isBetween(50_000_000L, 51_600_000L);
    assertThat(latencies.percentile(0.99)).isBetween(99_000_000L, 102_000_000L);
    assertThat(latencies.percentile(1)).isBetween(100_000_000L, 103_200_000L);
  }

  @Test
  void smallOnesAreExactAndLargeOnesFit() {
    latencies.add(7);
    assertThat(latencies.percentile(1)).isEqualTo(7);
    latencies.add(Long.MAX_VALUE);
    assertThat(latencies.percentile(0.5)).isEqualTo(7);
    assertThat(latencies.percentile(1)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void severalMakeOne() {
    Latencies others = new Latencies();
    others.add(10);
    others.add(20);
    latencies.add(30);
    latencies.addAll(others);
    assertThat(latencies.percentile(0.3)).isEqualTo(10);
    assertThat(latencies.percentile(0.6)).isEqualTo(20);
    assertThat(latencies.percentile(1)).isEqualTo(30);
  }

  @Test
  void whatIsForgottenCountsNoMore() {
    latencies.add(1_000_000);
    latencies.clear();
    assertThat(latencies.percentile(1)).isZero();
    latencies.add(10);
    assertThat(latencies.percentile(1)).isEqualTo(10);
  }
}
