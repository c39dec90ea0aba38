package io.sluice.server.replication;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ServerId;
import io.sluice.transport.Principal;
import io.sluice.transport.ReplicaMember;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** All that goes from this server to others. Thread-safe. */
public final class Replication implements AutoCloseable {
  /** Other servers that something goes to at a time. */
  private static final int MAX_PEERS = 4096;

  private final PeerConnector connector;
  private final AckRule rule;
  private final ReplicaStats stats = new ReplicaStats();
  private final ConcurrentHashMap<Endpoint, PeerLink> peers = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /** A server as clients name it. With its address, or who names a wrong one would harm others. */
  private record Endpoint(ServerId id, String host, int port) {
    static Endpoint of(ReplicaMember member) {
      return new Endpoint(member.id(), member.host(), member.port());
    }
  }

  public Replication(PeerConnector connector, AckRule rule) {
    this.connector = connector;
    this.rule = rule;
  }

  public ReplicaStats stats() {
    return stats;
  }

  /** As {@link PeerConnector#mayBeSentBy}. */
  public boolean mayBeSentBy(Principal client) {
    return connector.mayBeSentBy(client);
  }

  AckRule rule() {
    return rule;
  }

  /** Sends a batch to all its members; its owner hears what came of it. */
  void send(ReplicaBatch batch) {
    for (ReplicaMember member : batch.members()) {
      PeerLink link = closed ? null : link(member);
      if (link == null) {
        batch.failed(member, closed ? ErrorCode.SHUTTING_DOWN : ErrorCode.TOO_MANY_CONNECTIONS);
      } else {
        link.send(batch, member);
      }
    }
  }

  private @Nullable PeerLink link(ReplicaMember member) {
    Endpoint endpoint = Endpoint.of(member);
    PeerLink known = peers.get(endpoint);
    if (known != null) {
      return known;
    }
    if (peers.size() >= MAX_PEERS) {
      // Servers that are not there any more. Should something go to one at this moment, it gets
      // there all the same.
      peers.values().removeIf(PeerLink::isIdle);
      if (peers.size() >= MAX_PEERS) {
        return null;
      }
    }
    return peers.computeIfAbsent(endpoint, at -> new PeerLink(connector, member, stats));
  }

  /** A shuffle was removed: frees what waits of it. */
  public void shuffleRemoved() {
    peers.values().forEach(PeerLink::failRemoved);
  }

  /** Gives up everything. */
  @Override
  public void close() {
    closed = true;
    peers.values().forEach(PeerLink::close);
  }
}
