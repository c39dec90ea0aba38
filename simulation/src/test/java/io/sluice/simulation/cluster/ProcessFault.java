package io.sluice.simulation.cluster;

/** What befalls whole processes, besides death. */
public enum ProcessFault {
  /** Stopped for a while, of servers and clients. */
  FREEZE,
  /** The monotonic and the wall clock are further on than they were. */
  CLOCK_JUMP,
  WALL_CLOCK_SET,
  LEADER_CRASH,
  /** A zombie: leads on when it thaws, until it hears that it does not. */
  LEADER_FREEZE,
  LEADER_CUT_OFF,
  ZOOKEEPER_AWAY
}
