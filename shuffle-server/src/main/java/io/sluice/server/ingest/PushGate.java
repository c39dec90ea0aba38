package io.sluice.server.ingest;

import io.sluice.common.error.ErrorCode;
import io.sluice.server.memory.TableBudget;
import org.jspecify.annotations.Nullable;

/** Whether the server takes blocks at all. Thread-safe; asked for every block. */
public final class PushGate {
  private final TableBudget tables;
  private volatile boolean shut;

  public PushGate(TableBudget tables) {
    this.tables = tables;
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
