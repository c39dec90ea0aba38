package io.sluice.benchmarks.wire.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PushTimesTest {
  private final PushTimes times = new PushTimes(4);
  private final Latencies latencies = new Latencies();

  @Test
  void aFrameIsAnsweredWithTheLastOfItsBlocksInWhateverOrder() {
    times.begin(2);
    times.sent(100);
    times.sent(110);
    times.answered(6, 2, 120, latencies);
    times.answered(1, 3, 121, latencies);
    assertThat(latencies.percentile(1)).isZero();
    times.answered(0, 1, 125, latencies);
    assertThat(latencies.percentile(1)).isEqualTo(25);
    assertThat(times.isComplete()).isFalse();
    times.answered(4, 2, 130, latencies);
    assertThat(latencies.percentile(0.5)).isEqualTo(20);
    assertThat(times.isComplete()).isTrue();
  }

  @Test
  void oneRangeMayAnswerSeveralFrames() {
    times.begin(3);
    for (int i = 0; i < 3; i++) {
      times.sent(100 + i);
    }
    assertThat(times.answered(0, 12, 110, latencies)).isEqualTo(3);
    assertThat(times.isComplete()).isTrue();
    assertThat(latencies.percentile(0.01)).isEqualTo(8);
    assertThat(latencies.percentile(1)).isEqualTo(10);
  }

  @Test
  void batchesFollowEachOther() {
    times.begin(1);
    times.sent(1);
    times.answered(0, 4, 2, latencies);
    times.begin(1);
    assertThat(times.isComplete()).isFalse();
    times.sent(3);
    times.answered(4, 4, 5, latencies);
    assertThat(times.isComplete()).isTrue();
  }
}
