package io.sluice.transport;

import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/**
 * Listens for clients of one kind of transport and gives each connection a session. Thread-safe.
 */
public interface DataServer extends AutoCloseable {
  /** Where it listens, with the port that was taken. */
  InetSocketAddress address();

  /** Connections that live, unfinished handshakes included. */
  int connections();

  /**
   * Stops listening and asks every client to finish and go.
   *
   * @return completes when the last connection is gone; {@link #close} ends the wait
   */
  CompletableFuture<Void> goAway();

  /**
   * Stops listening and ends every connection with SHUTTING_DOWN. Sessions have been closed when
   * this returns. Blocks for at most the close timeout; not to be called on an event loop.
   */
  @Override
  void close();
}
