package io.sluice.server;

import io.sluice.server.credit.CreditBroker;
import io.sluice.server.fetch.FetchParts;
import io.sluice.server.flush.Flusher;
import io.sluice.server.ingest.IngestParts;
import io.sluice.server.ingest.PushGate;
import io.sluice.server.inventory.Inventories;
import io.sluice.server.lifecycle.ShuffleRegistry;
import io.sluice.server.memory.ChunkArena;
import io.sluice.server.metrics.ServerStats;
import io.sluice.server.replication.Replication;
import io.sluice.transport.ServerIdentity;
import java.util.function.Supplier;

/**
 * What the connections of a server share; all thread-safe.
 *
 * @param replicaBroker of credit for connections from other servers, out of the reserve
 */
record CoreParts(
    IngestParts ingest,
    CreditBroker replicaBroker,
    ShuffleRegistry registry,
    Flusher flusher,
    FetchParts fetch,
    Inventories inventories,
    Supplier<ServerIdentity> identity) {
  ChunkArena arena() {
    return ingest.arena();
  }

  CreditBroker broker() {
    return ingest.broker();
  }

  /** Of clients' credit, or of other servers'. */
  CreditBroker broker(boolean ofReplicas) {
    return ofReplicas ? replicaBroker : ingest.broker();
  }

  PushGate gate() {
    return ingest.gate();
  }

  ServerStats stats() {
    return ingest.stats();
  }

  Replication replication() {
    return ingest.replication();
  }
}
