package io.sluice.coordinator.membership;

import java.util.EnumSet;
import java.util.Set;

/**
 * How a server fares.
 *
 * <pre>
 *                  silent                          says that it stops
 *        ACTIVE ----------> SUSPECT         any but LOST ----------> RESTARTING
 *          |  ^   speaks      | ^                                     |      |
 *    drain |  | undo          | | silent      back, nothing is lost   |      | grace over, or back
 *          v  |               | |           <-------------------------+      | without what it had
 *       DRAINING <------------+ |           (ACTIVE, or DRAINING)            |
 *          +--------------------+                                            |
 *                                                                            v
 *        any ---- silent for longer, or back without what it had ---------> LOST
 * </pre>
 *
 * LOST is the end of a life: what follows is another one, and begins as ACTIVE or DRAINING.
 */
public enum ServerState {
  /** Heard of lately. */
  ACTIVE,
  /** Silent for the suspect interval: no new data, nothing given up. */
  SUSPECT,
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
      case ACTIVE -> EnumSet.of(SUSPECT, DRAINING, RESTARTING, LOST);
      case SUSPECT -> EnumSet.of(ACTIVE, DRAINING, RESTARTING, LOST);
      case DRAINING -> EnumSet.of(ACTIVE, SUSPECT, RESTARTING, LOST);
      case RESTARTING -> EnumSet.of(LOST);
      case LOST -> EnumSet.noneOf(ServerState.class);
    };
  }
}
