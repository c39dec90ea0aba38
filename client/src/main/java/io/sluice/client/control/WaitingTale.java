package io.sluice.client.control;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * When to say that somebody stands still, and why: not of waits that end within seconds, as for a
 * coordinator that hands over, and each reason once, since a job that waited for a leader may wait
 * for servers next. One thread's.
 */
final class WaitingTale {
  /** Nobody looks into a log for less. */
  static final long UNSAID_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final long began;
  private @Nullable ErrorCode told;

  /**
   * @param now on the clock that {@link #isDue} is asked by
   */
  WaitingTale(long now) {
    this.began = now;
  }

  /** Whether this reason is to be said now; it is taken for said then. */
  boolean isDue(SluiceException reason, long now) {
    if (now - began < UNSAID_NANOS || reason.code() == told) {
      return false;
    }
    told = reason.code();
    return true;
  }
}
