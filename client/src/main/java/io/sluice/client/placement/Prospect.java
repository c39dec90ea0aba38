package io.sluice.client.placement;

/** What is known of a server that a process cannot reach. */
public enum Prospect {
  /**
   * Coordinators do not hear it either, or it has said that it restarts; they have not given it up,
   * and what it acknowledged counts as there.
   */
  RETURNS,
  /** Coordinators have given it up. */
  LOST,
  /** Nothing of either kind: it is heard, perhaps without what it had in memory, or nobody says. */
  UNKNOWN
}
