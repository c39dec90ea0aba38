package io.sluice.client.connection;

import io.sluice.client.PlacedServer;

/**
 * Where a connection leads: to the server as the newest placement seen names it, or as whoever
 * makes placements last said, whichever life is later. Placements name servers as they were; one
 * that comes back may do so under another address. Whether it is the right server, its handshake
 * says: an address may be another one's by now.
 *
 * <p>{@link #seen} and {@link #server} on any thread, the rest on the event loop.
 */
final class Destination {
  private volatile PlacedServer server;
  private PlacedServer tried;

  Destination(PlacedServer server) {
    this.server = server;
    this.tried = server;
  }

  PlacedServer server() {
    return server;
  }

  /** A placement names the server. */
  synchronized void seen(PlacedServer placed) {
    if (placed.incarnation() > server.incarnation()) {
      server = placed;
    }
  }

  /**
   * Somebody says where the server is now.
   *
   * @return whether that is somewhere else than where it was last tried
   */
  synchronized boolean told(PlacedServer now) {
    if (!now.id().equals(server.id()) || now.incarnation() < server.incarnation()) {
      return false;
    }
    server = now;
    return !isAt(now, tried);
  }

  private static boolean isAt(PlacedServer one, PlacedServer other) {
    return one.host().equals(other.host())
        && one.port() == other.port()
        && one.grpcPort() == other.grpcPort();
  }

  /** Where to go now. */
  PlacedServer next() {
    tried = server;
    return tried;
  }

  /** Whether nothing newer has been heard of since the last attempt. */
  boolean isAsTried() {
    return server.equals(tried);
  }
}
