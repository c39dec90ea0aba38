package io.sluice.coordinator.registry;

import io.sluice.common.id.ServerId;

/**
 * One life of a server.
 *
 * @param incarnation at least 1, grows with each start
 * @param port the Netty data port
 */
public record ServerAddress(ServerId id, long incarnation, String host, int port) {
  @Override
  public String toString() {
    return host + ":" + port + " (" + id + "@" + incarnation + ")";
  }
}
