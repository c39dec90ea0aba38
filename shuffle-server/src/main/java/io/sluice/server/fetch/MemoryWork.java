package io.sluice.server.fetch;

import io.sluice.server.partition.RunCursor;

/** A run to be sent from memory, as long as it is there. Holds nothing between pieces. */
record MemoryWork(int partition, RunCursor cursor) implements Work {
  @Override
  public void close() {
    // Leases are with the pieces.
  }
}
