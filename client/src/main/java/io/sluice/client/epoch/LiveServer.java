package io.sluice.client.epoch;

import io.sluice.client.PlacedServer;

/** A server that may be given partitions. Immutable. */
public final class LiveServer {
  private final PlacedServer server;
  private final long weight;

  /**
   * @param weight its share of partitions in relation to others, positive
   */
  public LiveServer(PlacedServer server, long weight) {
    if (weight <= 0) {
      throw new IllegalArgumentException(server + " has weight " + weight);
    }
    this.server = server;
    this.weight = weight;
  }

  public PlacedServer server() {
    return server;
  }

  public long weight() {
    return weight;
  }

  @Override
  public String toString() {
    return server + " x " + weight;
  }
}
