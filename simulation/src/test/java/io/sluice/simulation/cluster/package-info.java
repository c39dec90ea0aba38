/**
 * Simulated processes made of the real cores: shuffle servers, a coordinator, a client, and the
 * messages between them.
 *
 * <p>What is real: the server core, segment stores, identity; the coordinator's cluster with its
 * membership, leases and placement; the client with its connections; both protocol halves and their
 * bytes. What is faked: sockets, disks, threads, time, and gRPC, which is a stream of calls that
 * arrive in order, late, or not at all.
 */
@NullMarked
package io.sluice.simulation.cluster;

import org.jspecify.annotations.NullMarked;
