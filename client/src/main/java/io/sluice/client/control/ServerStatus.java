package io.sluice.client.control;

import io.sluice.client.PlacedServer;

/** How a server fares, as the leader sees it. Immutable. */
public final class ServerStatus {
  /** What the leader makes of a server. */
  public enum State {
    ACTIVE,
    /** Silent for a while: write elsewhere, read elsewhere if possible; nothing is lost. */
    SUSPECT,
    /** Leaving: write elsewhere. */
    DRAINING,
    /** What was only in this incarnation's memory is gone. */
    LOST
  }

  private final PlacedServer server;
  private final State state;
  private final long lostIncarnation;

  public ServerStatus(PlacedServer server, State state, long lostIncarnation) {
    this.server = server;
    this.state = state;
    this.lostIncarnation = lostIncarnation;
  }

  public PlacedServer server() {
    return server;
  }

  public State state() {
    return state;
  }

  /**
   * The latest incarnation known to be lost, 0 if none is. Data placed on this or an earlier
   * incarnation is gone from memory.
   */
  public long lostIncarnation() {
    return lostIncarnation;
  }

  @Override
  public String toString() {
    return server + " " + state;
  }
}
