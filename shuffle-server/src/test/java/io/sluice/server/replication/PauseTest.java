package io.sluice.server.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import org.junit.jupiter.api.Test;

class PauseTest {
  private final Pause pause = new Pause();

  @Test
  void growsToItsLimitAndStartsAnewWhenTheServerWorks() {
    // A clock may begin anywhere, and run over.
    long now = Long.MAX_VALUE - Pause.FIRST_NANOS / 2;
    assertThat(pause.reason(now)).isNull();
    long expected = Pause.FIRST_NANOS;
    for (int failures = 0; failures < 12; failures++) {
      pause.begin(now, ErrorCode.CONNECT_FAILED);
      assertThat(pause.reason(now + expected - 1)).isEqualTo(ErrorCode.CONNECT_FAILED);
      assertThat(pause.reason(now + expected)).isNull();
      now += expected;
      expected = Math.min(Pause.LONGEST_NANOS, expected * 2);
    }
    pause.begin(now, ErrorCode.TIMED_OUT);
    pause.reset();
    assertThat(pause.reason(now)).isNull();
    pause.begin(now, ErrorCode.TIMED_OUT);
    assertThat(pause.reason(now + Pause.FIRST_NANOS)).isNull();
  }
}
