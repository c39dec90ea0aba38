package io.sluice.server.identity;

/**
 * One life of a server, as a disk knows it.
 *
 * @param intactSince the earliest life of which nothing was lost up to this one
 * @param sealed whether it has ended with everything on the disks
 */
record Life(long incarnation, long intactSince, boolean sealed) {
  /** A life that has nothing of those before it. */
  static Life fresh(long incarnation) {
    return new Life(incarnation, incarnation, false);
  }

  /** The same, ended. */
  Life end() {
    return new Life(incarnation, intactSince, true);
  }

  /** The same, whatever it has ended with. */
  Life broken() {
    return new Life(incarnation, intactSince, false);
  }

  @Override
  public String toString() {
    return (sealed ? "the seal of incarnation " : "incarnation ") + incarnation;
  }
}
