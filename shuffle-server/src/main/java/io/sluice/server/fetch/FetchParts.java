package io.sluice.server.fetch;

import io.sluice.server.metrics.ServerStats;
import io.sluice.server.partition.MemoryPieces;

/**
 * What all connections that fetch share; all thread-safe.
 *
 * @param pieces of what is in memory
 */
public record FetchParts(
    ReadBuffers buffers, Convoys convoys, MemoryPieces pieces, ServerStats stats) {}
