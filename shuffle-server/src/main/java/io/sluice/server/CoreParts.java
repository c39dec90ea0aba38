package io.sluice.server;

import io.sluice.server.credit.CreditBroker;
import io.sluice.server.fetch.Convoys;
import io.sluice.server.fetch.ReadBuffers;
import io.sluice.server.flush.Flusher;
import io.sluice.server.ingest.PushGate;
import io.sluice.server.lifecycle.ShuffleRegistry;
import io.sluice.server.memory.ChunkArena;
import io.sluice.server.metrics.ServerStats;
import io.sluice.transport.ServerIdentity;
import java.util.function.Supplier;

/** What the connections of a server share; all thread-safe. */
record CoreParts(
    ChunkArena arena,
    CreditBroker broker,
    ShuffleRegistry registry,
    Flusher flusher,
    ReadBuffers readBuffers,
    Convoys convoys,
    PushGate gate,
    ServerStats stats,
    Supplier<ServerIdentity> identity) {}
