package io.sluice.server.flush;

import io.sluice.common.time.Clock;
import io.sluice.server.disk.DiskHealth;

/**
 * For how long a store has been fenced, as far as anybody has looked: at most as long as it has
 * been, whatever the wall clock did meanwhile. Thread-safe.
 */
final class Outage {
  private final Clock clock;
  private boolean seen;
  // Of the outage that was seen: another one has begun at another time.
  private long sinceMillis;
  private long seenNanos;

  Outage(Clock clock) {
    this.clock = clock;
  }

  /**
   * Nanoseconds since it was first seen.
   *
   * @param fenced health that is not good
   */
  synchronized long age(DiskHealth fenced) {
    long now = clock.nanoTime();
    if (!seen || sinceMillis != fenced.sinceMillis()) {
      seen = true;
      sinceMillis = fenced.sinceMillis();
      seenNanos = now;
    }
    return now - seenNanos;
  }
}
