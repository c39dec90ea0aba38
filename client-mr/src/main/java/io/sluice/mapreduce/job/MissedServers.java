package io.sluice.mapreduce.job;

import io.sluice.common.id.ServerId;
import io.sluice.common.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Which servers a task could not reach lately. While they are fewer than a replica set has members,
 * there is one of each set that it can reach. Thread-safe.
 */
final class MissedServers {
  /**
   * Twice the reconnect deadline, before the end of which each is missed again. Servers that
   * restart one after the other, minutes apart, are not missed together.
   */
  private static final long LATELY_NANOS = Duration.ofSeconds(60).toNanos();

  private final Clock clock;
  // Guarded by this. As many as a placement names at most.
  private final Map<ServerId, Long> since = new HashMap<>();

  MissedServers(Clock clock) {
    this.clock = clock;
  }

  /** A server cannot be reached; gives how many could not be lately, with this one. */
  synchronized int andOthers(ServerId server) {
    long now = clock.nanoTime();
    since.values().removeIf(then -> now - then >= LATELY_NANOS);
    since.put(server, now);
    return since.size();
  }
}
