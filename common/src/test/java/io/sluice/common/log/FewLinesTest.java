package io.sluice.common.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.time.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FewLinesTest {
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
  private final FewLines lines =
      new FewLines(
          new Clock() {
            @Override
            public long nanoTime() {
              return now.get();
            }

            @Override
            public long wallTimeMillis() {
              return 0;
            }
          });

  @Test
  void saysFewAMinuteAndHowManyWereLeftOut() {
    for (int i = 0; i < FewLines.MOST; i++) {
      assertThat(lines.next()).isZero();
    }
    now.addAndGet(TimeUnit.SECONDS.toNanos(59));
    for (int i = 0; i < 100; i++) {
      assertThat(lines.next()).isEqualTo(-1);
    }
    now.addAndGet(TimeUnit.SECONDS.toNanos(1));

    assertThat(lines.next()).isEqualTo(100);
    assertThat(lines.next()).isZero();
  }
}
