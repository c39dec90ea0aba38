package io.sluice.simulation.network;

/** What the network has done to a connection. */
public enum Fault {
  RESET,
  SILENCE,
  /** A second or more in which a direction delivered nothing. */
  LONG_STALL,
  WIRE_FLIP
}
