package io.sluice.coordinator.registry;

import io.sluice.common.id.ServerId;

/**
 * One life of a server.
 *
 * @param incarnation at least 1, grows with each start
 * @param port the data port, for plain sockets
 * @param grpcPort the data port for gRPC, 0 if there is none
 */
public record ServerAddress(ServerId id, long incarnation, String host, int port, int grpcPort) {
  /** A server without gRPC. */
  public ServerAddress(ServerId id, long incarnation, String host, int port) {
    this(id, incarnation, host, port, 0);
  }

  @Override
  public String toString() {
    return host + ":" + port + " (" + id + "@" + incarnation + ")";
  }
}
