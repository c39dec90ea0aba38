package io.sluice.common.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class RootCauseTest {
  @Test
  void saysWhatIsBehindATextInOneLine() {
    IOException refused = new IOException("Connection refused\n\tat somewhere");
    Exception outer = new IllegalStateException("failed", new RuntimeException(null, refused));

    assertThat(RootCause.behind("io exception\nChannel Pipeline: [a, b]", outer))
        .isEqualTo("io exception: Connection refused");
  }

  @Test
  void saysNothingTwice() {
    assertThat(RootCause.behind("UNAVAILABLE: gone", new IOException("gone")))
        .isEqualTo("UNAVAILABLE: gone");
    assertThat(RootCause.behind("gone", null)).isEqualTo("gone");
    assertThat(RootCause.behind("gone", new RuntimeException())).isEqualTo("gone");
  }

  @Test
  void endsWhereCausesGoInACircle() {
    Exception one = new Exception("one");
    Exception other = new Exception("other", one);
    one.initCause(other);
    assertThat(RootCause.message(one)).isNotNull();
  }
}
