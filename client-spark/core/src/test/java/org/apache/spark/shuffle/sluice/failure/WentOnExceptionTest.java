package org.apache.spark.shuffle.sluice.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.spark.executor.Executor$;
import org.junit.jupiter.api.Test;

class WentOnExceptionTest {
  private static final int DEPTH = 5; // of spark.executor.killOnFatalError.depth

  @Test
  void namesTheFirstFailure() {
    IOException first = new IOException("on purpose");
    WentOnException wentOn = new WentOnException("pushed on", first);

    assertThat(wentOn).hasCause(first).hasMessage("CANCELLED: pushed on");
    assertThat(wentOn.code()).isEqualTo(ErrorCode.CANCELLED);
    assertThat(new WentOnException("pushed on", null)).hasNoCause();
  }

  @Test
  void hasOfAnErrorTheTextAloneSoThatTheExecutorLives() {
    OutOfMemoryError full = new OutOfMemoryError("full");
    UncheckedIOException behind = new UncheckedIOException(new IOException("behind it", full));
    for (Throwable first : new Throwable[] {full, behind}) {
      WentOnException wentOn = new WentOnException("read on", first);

      assertThat(wentOn).hasNoCause().hasMessage("CANCELLED: read on. It failed of " + first);
      assertThat(Executor$.MODULE$.isFatalError(wentOn, DEPTH)).isFalse();
      assertThat(Executor$.MODULE$.isFatalError(first, DEPTH)).as("caught").isTrue();
    }
  }
}
