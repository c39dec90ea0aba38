package io.sluice.client.epoch;

import io.sluice.client.PlacedServer;
import io.sluice.common.placement.Place;

/** A server that may be given partitions. Immutable. */
public final class LiveServer {
  private final PlacedServer server;
  private final long weight;
  private final Place place;

  /** One of which nobody has said where it stands. */
  public LiveServer(PlacedServer server, long weight) {
    this(server, weight, Place.UNKNOWN);
  }

  /**
   * @param weight its share of partitions in relation to others, positive
   */
  public LiveServer(PlacedServer server, long weight, Place place) {
    if (weight <= 0) {
      throw new IllegalArgumentException(server + " has weight " + weight);
    }
    this.server = server;
    this.weight = weight;
    this.place = place;
  }

  public PlacedServer server() {
    return server;
  }

  public long weight() {
    return weight;
  }

  public Place place() {
    return place;
  }

  @Override
  public String toString() {
    return server + " x " + weight;
  }
}
