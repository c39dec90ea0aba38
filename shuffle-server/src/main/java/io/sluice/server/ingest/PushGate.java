package io.sluice.server.ingest;

import io.sluice.common.error.ErrorCode;
import io.sluice.server.memory.TableBudget;
import org.jspecify.annotations.Nullable;

/**
 * Whether the server takes blocks at all, and whether those who bring them should look for another.
 * Thread-safe; asked for every block.
 */
public final class PushGate {
  private final TableBudget tables;
  private final long splitBytes;
  private volatile @Nullable ErrorCode closed;
  private volatile int unheard;

  /**
   * @param splitBytes of a partition, after which its writers are asked to go elsewhere
   */
  public PushGate(TableBudget tables, long splitBytes) {
    this.tables = tables;
    this.splitBytes = splitBytes;
  }

  /** For a new connection. */
  PartitionSplits splits() {
    return new PartitionSplits(splitBytes);
  }

  /** Takes no block from here on, for good; those being stored at this moment still are. */
  public synchronized void shut() {
    closed = ErrorCode.SHUTTING_DOWN;
  }

  /** The same until it is taken back. */
  public synchronized void drain(boolean begins) {
    if (closed != ErrorCode.SHUTTING_DOWN) {
      closed = begins ? ErrorCode.DRAINING : null;
    }
  }

  /**
   * No coordinator hears this server.
   *
   * @param times how often this was said since one did; 0 when one does again
   */
  public void unheard(int times) {
    unheard = times;
  }

  /** How often it was said that no coordinator hears this server; 0 if one does. */
  int unheard() {
    return unheard;
  }

  /** Why no block is taken whatever it is, or null. */
  public @Nullable ErrorCode closed() {
    return closed;
  }

  /** Why a block is refused, or null if it is not. */
  @Nullable ErrorCode refusal() {
    ErrorCode reason = closed;
    if (reason != null) {
      return reason;
    }
    return tables.exhausted() ? ErrorCode.NO_MEMORY : null;
  }
}
