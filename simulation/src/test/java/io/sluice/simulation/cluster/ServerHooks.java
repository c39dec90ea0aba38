package io.sluice.simulation.cluster;

import io.sluice.server.replication.PeerConnector;
import io.sluice.server.segment.SegmentStore;
import io.sluice.transport.ClientSession;
import io.sluice.transport.ServerSessionFactory;
import java.util.function.UnaryOperator;

/**
 * Where a server can be listened to, and changed.
 *
 * @param sessions wraps the core, as sessions come to it
 * @param peers wraps its way to other servers
 * @param intactStores wraps what a start finds that says that nothing was lost
 * @param watched wraps its sessions with other servers
 */
public record ServerHooks(
    UnaryOperator<ServerSessionFactory> sessions,
    UnaryOperator<PeerConnector> peers,
    UnaryOperator<SegmentStore> intactStores,
    UnaryOperator<ClientSession> watched) {}
