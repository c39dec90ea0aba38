/**
 * A network that damages what it carries: a TCP proxy before one shuffle server that finds the
 * blocks in what passes, by docs/protocol.md and none of the server's own parsing.
 *
 * <p>Threading: each direction of a connection has a thread with one buffer of its own; {@link
 * io.sluice.integration.wire.Flip} is what they share with a test. Ownership: the proxy owns its
 * sockets and closes them all with itself.
 */
@NullMarked
package io.sluice.integration.wire;

import org.jspecify.annotations.NullMarked;
