/**
 * The protocol over sockets, by Netty: event loops, the receive buffer each of them owns, a server
 * that listens and a connector that dials.
 *
 * <p>Everything about one connection happens on its event loop. Public methods may be called on any
 * thread.
 */
@NullMarked
package io.sluice.transport.netty;

import org.jspecify.annotations.NullMarked;
