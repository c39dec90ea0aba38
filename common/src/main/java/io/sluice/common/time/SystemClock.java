package io.sluice.common.time;

import io.sluice.common.annotation.SuppressForbidden;

/** The machine's clocks. */
@SuppressForbidden("implements the seam")
enum SystemClock implements Clock {
  INSTANCE;

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public long wallTimeMillis() {
    return System.currentTimeMillis();
  }
}
