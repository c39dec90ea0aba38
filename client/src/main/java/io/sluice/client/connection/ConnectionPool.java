package io.sluice.client.connection;

import io.sluice.client.ClientConfig;
import io.sluice.client.PlacedServer;
import io.sluice.client.placement.Placements;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Scheduler;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The connections of one client: for each server, whatever its incarnation, at most {@link
 * ClientConfig#connectionsPerServer}. Thread-safe.
 */
public final class ConnectionPool implements AutoCloseable {
  private final Connector connector;
  private final ClientConfig config;
  private final Placements placements;
  private final ConcurrentHashMap<Slot, ServerConnection> connections = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /**
   * The pool uses the connector, but does not close it.
   *
   * @param placements asked what is known of servers that cannot be reached
   */
  public ConnectionPool(Connector connector, ClientConfig config, Placements placements) {
    this.connector = connector;
    this.config = config;
    this.placements = placements;
  }

  /** The connection that traffic of a shuffle with a server takes. */
  public ServerConnection get(PlacedServer server, ShuffleKey shuffle) {
    if (closed) {
      throw new SluiceException(ErrorCode.CANCELLED, "the client is closed");
    }
    int number = Math.floorMod(shuffle.hashCode(), config.connectionsPerServer());
    ServerConnection connection =
        connections.computeIfAbsent(
            new Slot(server.id(), number),
            slot -> new ServerConnection(server, connector, config, placements));
    connection.seenAt(server);
    return connection;
  }

  /** An event loop for timers; it ends with the client. */
  public Scheduler loop() {
    return connector.loop();
  }

  @Override
  public void close() {
    closed = true;
    connections.values().forEach(ServerConnection::close);
  }

  private static final class Slot {
    private final ServerId server;
    private final int number;

    Slot(ServerId server, int number) {
      this.server = server;
      this.number = number;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Slot
          && ((Slot) other).number == number
          && ((Slot) other).server.equals(server);
    }

    @Override
    public int hashCode() {
      return server.hashCode() * 31 + number;
    }
  }
}
