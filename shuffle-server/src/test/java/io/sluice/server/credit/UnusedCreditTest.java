package io.sluice.server.credit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class UnusedCreditTest {
  private static final long MIB = 1 << 20;

  private final UnusedCredit unused = new UnusedCredit(seconds(10));

  @Test
  void isOverdueWhenNothingWasDoneWithItForLong() {
    for (int second = 0; second < 10; second++) {
      assertThat(unused.isOverdue(MIB, 0, seconds(second))).isFalse();
    }
    assertThat(unused.isOverdue(MIB, 0, seconds(10))).isTrue();
  }

  @Test
  void isNotBoughtOffWithALittle() {
    for (int second = 0; second < 10; second++) {
      assertThat(unused.isOverdue(MIB, second * 4096L, seconds(second))).isFalse();
    }
    assertThat(unused.isOverdue(MIB, 10 * 4096, seconds(10))).isTrue();
  }

  @Test
  void beginsAnewWhenHalfOfItWasUsed() {
    assertThat(unused.isOverdue(MIB, 0, seconds(0))).isFalse();
    assertThat(unused.isOverdue(MIB, MIB / 2, seconds(4))).isFalse();
    assertThat(unused.isOverdue(MIB, MIB / 2, seconds(8))).isFalse();
    assertThat(unused.isOverdue(MIB, MIB / 2, seconds(12))).isFalse();
    assertThat(unused.isOverdue(MIB, MIB / 2, seconds(14))).isTrue();
  }

  @Test
  void countsNoTimeBetweenTwoShortages() {
    assertThat(unused.isOverdue(MIB, 0, seconds(0))).isFalse();
    assertThat(unused.isOverdue(MIB, 0, seconds(60))).isFalse();
  }

  private static long seconds(long seconds) {
    return TimeUnit.SECONDS.toNanos(seconds);
  }
}
