package io.sluice.server.flush;

import io.sluice.server.memory.ChunkArena;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Watches the arena and says how much a flush is needed. What is being flushed already counts as
 * gone. Thread-safe.
 */
final class FlushGauge {
  private static final int SHORT_FRACTION = 16;

  private final FlushLimits limits;
  private final ChunkArena arena;
  private final AtomicLong inFlight = new AtomicLong();
  // Between having been above the start and having come down to the aim.
  private volatile boolean falling;
  private volatile boolean draining;

  FlushGauge(FlushLimits limits, ChunkArena arena) {
    this.limits = limits;
    this.arena = arena;
  }

  Demand demand() {
    if (draining) {
      return Demand.ANYTHING;
    }
    long leaving = inFlight.get();
    long used = arena.chunkBytes() - leaving;
    if (used > limits.pressureBytes() || isShort(leaving)) {
      return Demand.ANYTHING;
    }
    if (used > limits.startBytes()) {
      falling = true;
    } else if (used <= limits.aimBytes()) {
      falling = false;
    }
    return falling ? Demand.FULL_UNITS : Demand.NONE;
  }

  private boolean isShort(long leaving) {
    long shortage = Math.max(arena.budget().capacity() / SHORT_FRACTION, limits.unitBytes());
    return arena.budget().free() + leaving < shortage;
  }

  void drain() {
    draining = true;
  }

  boolean draining() {
    return draining;
  }

  void leaving(long bytes) {
    inFlight.addAndGet(bytes);
  }

  long inFlight() {
    return inFlight.get();
  }
}
