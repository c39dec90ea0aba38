package io.sluice.common.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ExpiryNoticeTest {
  private static final long END = Duration.ofDays(20_000).toMillis();

  private final ExpiryNotice notice = new ExpiryNotice();

  @Test
  void comesAWeekAndADayBeforeTheEndAndAtIt() {
    assertThat(notice.due(END, END - Duration.ofDays(8).toMillis())).isEmpty();
    assertThat(notice.due(END, END - Duration.ofDays(7).toMillis()))
        .contains("expires on 2024-10-04T00:00:00Z");
    assertThat(notice.due(END, END - Duration.ofDays(2).toMillis())).isEmpty();
    assertThat(notice.due(END, END - Duration.ofHours(23).toMillis())).isPresent();
    assertThat(notice.due(END, END - 1)).isEmpty();
    assertThat(notice.due(END, END)).hasValueSatisfying(it -> assertThat(it).contains("expired"));
    assertThat(notice.due(END, END + 1)).isEmpty();
  }

  @Test
  void beginsAnewWithAnotherCertificate() {
    assertThat(notice.due(END, END - 1)).isPresent();
    long next = END + Duration.ofDays(90).toMillis();
    assertThat(notice.due(next, END)).isEmpty();
    assertThat(notice.due(next, next)).isPresent();
  }
}
