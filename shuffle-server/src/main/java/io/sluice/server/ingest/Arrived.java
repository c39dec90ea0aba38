package io.sluice.server.ingest;

import io.sluice.server.partition.LeasedBlocks;
import io.sluice.server.partition.PartitionBuffer;
import org.jspecify.annotations.Nullable;

/** A block that is here as a whole, to be stored. On its connection's event loop. */
interface Arrived {
  int partition();

  /** Stores it and takes leases; false if the partition is gone. */
  boolean store(PartitionBuffer in, @Nullable LeasedBlocks leases);
}
