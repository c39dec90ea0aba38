package io.sluice.coordinator.membership;

import io.sluice.coordinator.registry.ServerAddress;

/**
 * A server at one moment.
 *
 * @param lostIncarnation the latest incarnation lost, 0 if none is known; the address's own if lost
 */
public record ServerView(
    ServerAddress address,
    ServerState state,
    long lostIncarnation,
    ServerLoad load,
    String version,
    String httpAddress) {
  /** Whether this leader has heard the server yet, and so knows its load. */
  public boolean hasReported() {
    return !load.equals(ServerLoad.UNKNOWN);
  }
}
