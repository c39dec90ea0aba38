package io.sluice.server.ingest;

import io.sluice.common.error.ErrorCode;
import io.sluice.server.memory.TableBudget;
import org.jspecify.annotations.Nullable;

/** Whether the server takes blocks at all. Thread-safe; asked for every block. */
public final class PushGate {
  private final TableBudget tables;
  private final long splitBytes;
  private volatile boolean shut;

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

  /** Takes no block from here on; those being stored at this moment still are. */
  public void shut() {
    shut = true;
  }

  /** Why a block is refused, or null if it is not. */
  @Nullable ErrorCode refusal() {
    if (shut) {
      return ErrorCode.SHUTTING_DOWN;
    }
    return tables.exhausted() ? ErrorCode.NO_MEMORY : null;
  }
}
