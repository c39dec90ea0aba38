package io.sluice.server.ingest;

import io.sluice.server.credit.CreditBroker;
import io.sluice.server.memory.ChunkArena;
import io.sluice.server.metrics.ServerStats;
import io.sluice.server.replication.Replication;

/**
 * What all connections that bring blocks share; all thread-safe.
 *
 * @param broker of clients' credit, which tells when memory is short
 */
public record IngestParts(
    ChunkArena arena,
    CreditBroker broker,
    PushGate gate,
    ServerStats stats,
    Replication replication) {}
