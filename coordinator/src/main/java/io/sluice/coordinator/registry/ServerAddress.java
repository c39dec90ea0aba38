package io.sluice.coordinator.registry;

import io.sluice.common.id.ServerId;

/**
 * One life of a server.
 *
 * @param incarnation at least 1, grows with each start
 * @param intactSince the earliest life of which this one still has everything; its own incarnation
 *     if it has nothing of those before
 * @param port the data port, for plain sockets
 * @param grpcPort the data port for gRPC, 0 if there is none
 */
public record ServerAddress(
    ServerId id, long incarnation, long intactSince, String host, int port, int grpcPort) {
  public ServerAddress {
    if (intactSince < 1 || intactSince > incarnation) {
      throw new IllegalArgumentException(
          id + "@" + incarnation + " cannot be intact since " + intactSince);
    }
  }

  /** A life that has nothing of those before it, without gRPC. */
  public ServerAddress(ServerId id, long incarnation, String host, int port) {
    this(id, incarnation, incarnation, host, port, 0);
  }

  /** Whether everything that a life of this server ever acknowledged is still there. */
  public boolean keeps(long earlier) {
    return intactSince <= earlier && earlier <= incarnation;
  }

  @Override
  public String toString() {
    return host + ":" + port + " (" + id + "@" + incarnation + ")";
  }
}
