package io.sluice.coordinator.membership;

/** How one life of a server fares. */
public enum ServerState {
  /** Heard of lately. */
  ACTIVE,
  /** Silent for the suspect interval: no new data, nothing given up. */
  SUSPECT,
  /** Leaving: no new data, still served. */
  DRAINING,
  /** Given up. Final: only a new incarnation of the server is admitted again. */
  LOST;

  /** Whether this state may follow upon another one, or upon itself. */
  public boolean mayFollow(ServerState previous) {
    return previous != LOST || this == LOST;
  }
}
