package io.sluice.simulation.network;

/** What the network has done to a connection. */
public enum Fault {
  RESET,
  SILENCE,
  WIRE_FLIP
}
