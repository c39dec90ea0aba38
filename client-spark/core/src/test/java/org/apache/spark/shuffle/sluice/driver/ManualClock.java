package org.apache.spark.shuffle.sluice.driver;

import io.sluice.common.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Time that the test moves; near where a monotonic clock overflows, which it may be. */
final class ManualClock implements Clock {
  private long nanos = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(20);

  void pass(Duration time) {
    nanos += time.toNanos();
  }

  @Override
  public long nanoTime() {
    return nanos;
  }

  @Override
  public long wallTimeMillis() {
    throw new UnsupportedOperationException("intervals are not measured with it");
  }
}
