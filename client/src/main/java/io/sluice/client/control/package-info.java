/**
 * Talking to coordinators: what a driver needs to register, place shuffles and learn what happens
 * to servers.
 *
 * <p>All state is confined to the scheduler's thread, which is also where gRPC runs its callbacks
 * and where listeners are called; they must not block. Public methods may be called from any other
 * thread; those that say so wait, with a deadline.
 */
@NullMarked
package io.sluice.client.control;

import org.jspecify.annotations.NullMarked;
