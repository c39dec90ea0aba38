package io.sluice.client.control;

import io.sluice.client.PlacedServer;
import io.sluice.common.placement.Place;

/** How a server fares, as the leader sees it. Immutable. */
public final class ServerStatus {
  /** What the leader makes of a server. */
  public enum State {
    ACTIVE,
    /** Silent for a while: write elsewhere, read elsewhere if possible; nothing is lost. */
    SUSPECT,
    /** There, but none of its disks takes writes: write elsewhere, read as ever. */
    UNHEALTHY,
    /** Leaving: write elsewhere. */
    DRAINING,
    /** Stops, or is down, and is expected back with everything: write elsewhere, wait to read. */
    RESTARTING,
    /** What was only in this incarnation's memory is gone. */
    LOST
  }

  private final PlacedServer server;
  private final State state;
  private final long intactSince;
  private final long lostIncarnation;
  private final long weight;
  private final Place place;
  private final boolean suitable;

  /**
   * One that any application may use, standing nobody knows where.
   *
   * @param intactSince the earliest incarnation of which nothing is lost; see {@link #keeps}
   * @param weight see {@link #weight()}
   */
  public ServerStatus(
      PlacedServer server, State state, long intactSince, long lostIncarnation, long weight) {
    this(server, state, intactSince, lostIncarnation, weight, Place.UNKNOWN, true);
  }

  private ServerStatus(
      PlacedServer server,
      State state,
      long intactSince,
      long lostIncarnation,
      long weight,
      Place place,
      boolean suitable) {
    this.server = server;
    this.state = state;
    this.intactSince = intactSince;
    this.lostIncarnation = lostIncarnation;
    this.weight = weight;
    this.place = place;
    this.suitable = suitable;
  }

  /** The same, standing there. */
  public ServerStatus standing(Place where, boolean forUs) {
    return new ServerStatus(server, state, intactSince, lostIncarnation, weight, where, forUs);
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

  /**
   * Its share when partitions are dealt out: free capacity in bytes; 0 if the leader does not say.
   */
  public long weight() {
    return weight;
  }

  public Place place() {
    return place;
  }

  /** Whether it has the tags that this application asks for; else it must get nothing of it. */
  public boolean suitable() {
    return suitable;
  }

  /** Whether everything that the server acknowledged as this incarnation is still there. */
  public boolean keeps(long incarnation) {
    return state != State.LOST && intactSince <= incarnation;
  }

  @Override
  public String toString() {
    return server + " " + state;
  }
}
