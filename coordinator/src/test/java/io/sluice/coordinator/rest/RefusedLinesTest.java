package io.sluice.coordinator.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.testing.ManualScheduler;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RefusedLinesTest {
  private final ManualScheduler scheduler = new ManualScheduler();
  private final Map<String, Long> leftOut = new HashMap<>();
  private final RefusedLines lines = new RefusedLines(scheduler, leftOut::put);

  private int taken(int times, String from) {
    int taken = 0;
    for (int i = 0; i < times; i++) {
      taken += lines.takes(from) ? 1 : 0;
    }
    return taken;
  }

  @Test
  void eachCallerHasHisOwnWhicheverPortHeCallsFrom() {
    assertThat(taken(8, "10.0.0.1:4001")).isEqualTo(8);
    assertThat(taken(8, "10.0.0.1:4002")).isEqualTo(2);
    assertThat(taken(8, "[::1]:4001")).isEqualTo(8);
    assertThat(taken(20, "10.0.0.1:4001 through 10.0.0.9:7400")).isEqualTo(10);
    assertThat(taken(1, "10.0.0.1:4009 through 10.0.0.9:7401")).isZero();

    scheduler.advance(RefusedLines.MINUTE_NANOS, TimeUnit.NANOSECONDS);

    assertThat(leftOut)
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("10.0.0.1", 6L, "10.0.0.1 through 10.0.0.9", 11L));
    assertThat(taken(11, "10.0.0.1:4001")).as("another minute").isEqualTo(10);
  }

  @Test
  void manyCallersShareWhatIsLeft() {
    int taken = 0;
    for (int i = 0; i < 5_000; i++) {
      taken += taken(3, "host-" + i + ":1");
    }
    assertThat(taken).isEqualTo(3 * RefusedLines.CALLERS + RefusedLines.LINES);
    assertThat(taken(20, "host-1:2")).as("of one who was there before").isEqualTo(7);

    scheduler.advance(RefusedLines.MINUTE_NANOS, TimeUnit.NANOSECONDS);

    long others = 3L * (5_000 - RefusedLines.CALLERS) - RefusedLines.LINES;
    assertThat(leftOut).containsEntry(RefusedLines.OTHERS, others).containsEntry("host-1", 13L);
  }
}
