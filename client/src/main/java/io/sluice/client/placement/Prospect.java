package io.sluice.client.placement;

/** What is known of a server that a process cannot reach. */
public enum Prospect {
  /**
   * Coordinators do not hear it either, or it has said that it restarts; they have not given it up,
   * and what it acknowledged counts as there.
   */
  RETURNS,
  /** Coordinators have given it up, or it is there without what it had acknowledged. */
  LOST,
  /** Nothing of either kind: it is heard, or nobody says. */
  UNKNOWN
}
