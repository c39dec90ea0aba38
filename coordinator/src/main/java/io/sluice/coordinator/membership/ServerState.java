package io.sluice.coordinator.membership;

import java.util.EnumSet;
import java.util.Set;

/**
 * How a server fares.
 *
 * <pre>
 *    no disk takes writes
 *   +------ ACTIVE -------+                        says that it stops
 *   |        | ^          | silent          any but LOST ----------> RESTARTING
 *   v  drain | | undo     v                                           |      |
 * UNHEALTHY  | |       SUSPECT                back, nothing is lost   |      | grace over, or back
 *   |        v |          ^                 <-------------------------+      | without what it had
 *   +----- DRAINING ------+                 (ACTIVE, or DRAINING)            |
 *                                                                            v
 *        any ---- silent for longer, or back without what it had ---------> LOST
 * </pre>
 *
 * Each of ACTIVE, UNHEALTHY, DRAINING and SUSPECT may follow each other: what a server that speaks
 * is depends on its last report and on what operators want, who go before its disks. LOST is the
 * end of a life: what follows is another one, and begins as ACTIVE or DRAINING.
 */
public enum ServerState {
  /** Heard of lately. */
  ACTIVE,
  /** Silent for the suspect interval: no new data, nothing given up. */
  SUSPECT,
  /**
   * None of its disks takes writes, since all failed or are full: no new shuffles; still served.
   */
  UNHEALTHY,
  /** Leaving on an operator's word: no new data, still served. */
  DRAINING,
  /**
   * Has said that it stops, and may be down by now: no new data; expected back within the grace,
   * with all it had.
   */
  RESTARTING,
  /** Given up. Final: only a new incarnation of the server is admitted again. */
  LOST;

  /** Whether this state may follow upon another one of the same life, or upon itself. */
  public boolean mayFollow(ServerState previous) {
    return previous == this || successors(previous).contains(this);
  }

  /**
   * Whether a life may begin with this state that has everything of one that was in another state.
   */
  boolean mayContinue(ServerState previous) {
    return previous != LOST && (this == ACTIVE || this == DRAINING);
  }

  private static Set<ServerState> successors(ServerState state) {
    return switch (state) {
      case ACTIVE -> EnumSet.of(SUSPECT, UNHEALTHY, DRAINING, RESTARTING, LOST);
      case SUSPECT -> EnumSet.of(ACTIVE, UNHEALTHY, DRAINING, RESTARTING, LOST);
      case UNHEALTHY -> EnumSet.of(ACTIVE, SUSPECT, DRAINING, RESTARTING, LOST);
      case DRAINING -> EnumSet.of(ACTIVE, SUSPECT, UNHEALTHY, RESTARTING, LOST);
      case RESTARTING -> EnumSet.of(LOST);
      case LOST -> EnumSet.noneOf(ServerState.class);
    };
  }
}
