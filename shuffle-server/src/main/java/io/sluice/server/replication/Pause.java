package io.sluice.server.replication;

import io.sluice.common.error.ErrorCode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Whether a server that failed is to be tried again yet: after 100 ms, then after twice as long
 * each time. After 5 s at most, as long as silence is borne: so a server that is away costs a
 * connection each time, and not one for each batch of each client. Changed on the peer's event
 * loop, read by any thread.
 */
final class Pause {
  static final long FIRST_NANOS = Duration.ofMillis(100).toNanos();
  static final long LONGEST_NANOS = Duration.ofSeconds(5).toNanos();

  private long nextNanos = FIRST_NANOS;
  private volatile long end;
  private volatile @Nullable ErrorCode reason;

  /** It failed. */
  void begin(long now, ErrorCode why) {
    end = now + nextNanos;
    nextNanos = Math.min(LONGEST_NANOS, nextNanos * 2);
    reason = why;
  }

  /** It takes blocks, or another process has taken its place. */
  void reset() {
    nextNanos = FIRST_NANOS;
    reason = null;
  }

  /** Why the server is not tried at this moment; null if it may be. */
  @Nullable ErrorCode reason(long now) {
    ErrorCode why = reason;
    return why != null && now - end < 0 ? why : null;
  }
}
