package io.sluice.simulation.scenario;

import io.sluice.simulation.cluster.SimServer;

/** What a server had been through at some moment. */
record History(int lives, int losses, int pauses) {
  static final History NONE = new History(0, 0, 0);

  static History of(SimServer server) {
    return new History(server.lives(), server.losses(), server.pauses());
  }
}
