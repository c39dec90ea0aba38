/**
 * Blocks on their way from the server that took them to the other members of their replica set: a
 * star, in which the first member is a client of the others.
 *
 * <p>A block waits as a lease on the chunks in which it is stored, and is written to the socket
 * from there; there is no second copy. What arrives from another server is stored and goes no
 * further, so nobody waits in a circle: {@code docs/failures.md} has the argument.
 *
 * <p>Threading: a {@link io.sluice.server.replication.Forwarding} belongs to the event loop of the
 * connection that brought the blocks, a {@link io.sluice.server.replication.PeerLink} to the one of
 * the connection that takes them away. They meet in {@link
 * io.sluice.server.replication.ReplicaBatch}. Ownership: a batch owns the leases until every member
 * has answered.
 */
@NullMarked
package io.sluice.server.replication;

import org.jspecify.annotations.NullMarked;
