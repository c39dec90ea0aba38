package io.sluice.server.fetch;

import io.sluice.server.damage.ExtentChecks;
import io.sluice.server.memory.LeaseBudget;
import io.sluice.server.metrics.ServerStats;
import io.sluice.server.partition.MemoryPieces;

/**
 * What all connections that fetch share; all thread-safe.
 *
 * @param pieces of what is in memory
 * @param leases how much of it may be on its way to readers
 * @param checks of what readers complain of
 */
public record FetchParts(
    ReadBuffers buffers,
    Convoys convoys,
    MemoryPieces pieces,
    LeaseBudget leases,
    ExtentChecks checks,
    ServerStats stats) {}
