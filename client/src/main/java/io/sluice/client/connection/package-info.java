/**
 * One server's connection: handles, credit, frames on their way out, streams on their way in, and
 * coming back after a loss.
 *
 * <p>Threading: a {@link io.sluice.client.connection.ServerConnection} lives on one event loop for
 * good, reconnects included. Everything package-private here runs only there; the few public entry
 * points hand over to it. Owners of frames and sinks of streams are called there and must not
 * block.
 */
@NullMarked
package io.sluice.client.connection;

import org.jspecify.annotations.NullMarked;
