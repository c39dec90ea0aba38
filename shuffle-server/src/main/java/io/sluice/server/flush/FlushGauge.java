package io.sluice.server.flush;

import io.sluice.server.memory.ChunkArena;
import io.sluice.server.memory.MemoryShortage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Watches the arena and says how much a flush is needed. What is being flushed already counts as
 * gone. Thread-safe.
 *
 * <p>Memory that is promised as credit is not used: it comes as blocks, or it comes back. So while
 * somebody waits for memory, units that are not full are written only once the blocks in memory
 * would make half a full one; before, no flush could free much, and each would cost a write and its
 * padding. That alone could strand a WANT: what is promised may be held by clients that cannot use
 * it, each a little less than its next block needs. Therefore a WANT that has waited for some time
 * in vain gets whatever a flush can free.
 */
final class FlushGauge {
  // In an arena that is small beside its unit, half a unit may be more than there ever is.
  private static final int WORTHWHILE_FRACTION = 16;

  private final FlushLimits limits;
  private final ChunkArena arena;
  private final MemoryShortage shortage;
  private final long worthwhileBytes;
  private final AtomicLong inFlight = new AtomicLong();
  // Changes of that, ever.
  private final AtomicLong changes = new AtomicLong();
  // Between having been above the start and having come down to the aim.
  private volatile boolean falling;
  private volatile boolean draining;

  FlushGauge(FlushLimits limits, ChunkArena arena, MemoryShortage shortage) {
    this.limits = limits;
    this.arena = arena;
    this.shortage = shortage;
    this.worthwhileBytes = Math.min(limits.unitBytes() / 2, arena.capacity() / WORTHWHILE_FRACTION);
  }

  Demand demand() {
    if (draining) {
      return Demand.ANYTHING;
    }
    long used = arena.chunkBytes() - inFlight.get();
    if (used > limits.pressureBytes() || isWantedBy(used)) {
      return Demand.ANYTHING;
    }
    if (used > limits.startBytes()) {
      falling = true;
    } else if (used <= limits.aimBytes()) {
      falling = false;
    }
    return falling ? Demand.FULL_UNITS : Demand.NONE;
  }

  private boolean isWantedBy(long used) {
    return (used >= worthwhileBytes && shortage.waiting()) || (used > 0 && shortage.starving());
  }

  void drain() {
    draining = true;
  }

  boolean draining() {
    return draining;
  }

  void leaving(long bytes) {
    changes.incrementAndGet();
    inFlight.addAndGet(bytes);
  }

  /**
   * Whether neither claimable nor leaving bytes are left, and none went from one to the other while
   * they were looked at: then it has to be looked at again once what began has ended.
   *
   * @param claimable looks how many bytes wait to be claimed
   */
  boolean nothingUnsaved(LongSupplier claimable) {
    long before = changes.get();
    return claimable.getAsLong() == 0 && inFlight.get() == 0 && changes.get() == before;
  }

  long inFlight() {
    return inFlight.get();
  }
}
