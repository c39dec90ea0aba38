package io.sluice.transport;

import io.sluice.common.id.ServerId;

/**
 * Which life of which server it is, and when it acknowledges, as it says in the handshake.
 * Immutable.
 */
public final class ServerIdentity {
  private final ServerId id;
  private final long incarnation;
  private final long intactSince;
  private final boolean majorityEnough;

  /** A life that has nothing of those before it, or is the first. */
  public ServerIdentity(ServerId id, long incarnation) {
    this(id, incarnation, incarnation);
  }

  /**
   * @param intactSince the earliest life of which nothing was lost; not above {@code incarnation}
   */
  public ServerIdentity(ServerId id, long incarnation, long intactSince) {
    this(id, incarnation, intactSince, false);
  }

  private ServerIdentity(ServerId id, long incarnation, long intactSince, boolean majorityEnough) {
    if (intactSince < 0 || intactSince > incarnation) {
      throw new IllegalArgumentException("intact since " + intactSince + ", now " + incarnation);
    }
    this.id = id;
    this.incarnation = incarnation;
    this.intactSince = intactSince;
    this.majorityEnough = majorityEnough;
  }

  /** The same life, which acknowledges what it and half of the other members of a set hold. */
  public ServerIdentity withMajorityEnough() {
    return new ServerIdentity(id, incarnation, intactSince, true);
  }

  public ServerId id() {
    return id;
  }

  /** Grows at each start. */
  public long incarnation() {
    return incarnation;
  }

  /** The earliest incarnation everything of which is still there. */
  public long intactSince() {
    return intactSince;
  }

  /**
   * Whether this server acknowledges blocks that a majority of their replica set holds, itself
   * among it; else all members do.
   */
  public boolean majorityEnough() {
    return majorityEnough;
  }

  /** Whether everything that a life of this server ever acknowledged is still there. */
  public boolean keeps(long earlier) {
    return intactSince <= earlier && earlier <= incarnation;
  }

  @Override
  public String toString() {
    return id
        + "@"
        + incarnation
        + (intactSince == incarnation ? "" : " (intact since " + intactSince + ")");
  }
}
