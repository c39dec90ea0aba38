/**
 * The data plane as its users see it: sessions and links.
 *
 * <p>A <em>session</em> is what a side of a connection implements (the shuffle server's ingest and
 * fetch core, the client's push and fetch core); a <em>link</em> is what the transport gives it to
 * talk to the peer. Frames are decoded before a session and encoded behind a link, so sessions know
 * neither frames nor Netty channels, and a simulated link can stand in for a real one.
 *
 * <p>Threading: every method of a session, and every method of a link unless it says otherwise, is
 * called on the connection's event loop. Nothing here blocks.
 */
@NullMarked
package io.sluice.transport;

import org.jspecify.annotations.NullMarked;
