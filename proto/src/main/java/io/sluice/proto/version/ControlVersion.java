package io.sluice.proto.version;

import java.util.OptionalInt;

/**
 * The versions of the control plane that a process speaks, from {@code oldest} to {@code newest}.
 * Whoever opens a session or registers says which; the coordinator picks the newest that both
 * speak, or refuses. A build speaks at least the newest version of the release before.
 *
 * <p>Version 1 is what was spoken before anybody said so: a process that names none speaks it
 * alone. Version 2 adds the naming itself, the term of a placement, and what applications wish of
 * the servers that hold their shuffles.
 */
public final class ControlVersion {
  /** What this build speaks at least. */
  public static final int OLDEST = 1;

  /** What this build speaks at most. */
  public static final int NEWEST = 2;

  /** From this one on leaders heed what registrations wish of servers; before, it is lost. */
  public static final int WISHES = 2;

  /** Of a process that names none. */
  private static final int UNNAMED = 1;

  private final int oldest;
  private final int newest;

  private ControlVersion(int oldest, int newest) {
    this.oldest = oldest;
    this.newest = newest;
  }

  /**
   * What a peer says that it speaks.
   *
   * @param oldest 0 if it does not say
   * @param newest 0 if it does not say
   */
  public static ControlVersion of(int oldest, int newest) {
    return new ControlVersion(oldest <= 0 ? UNNAMED : oldest, newest <= 0 ? UNNAMED : newest);
  }

  /** The newest version that both the peer and this build speak; empty if there is none. */
  public OptionalInt common() {
    int best = Math.min(newest, NEWEST);
    return best >= oldest && best >= OLDEST ? OptionalInt.of(best) : OptionalInt.empty();
  }

  /** Why there is none, and who has to be upgraded. */
  public String refusal(String peer, String self) {
    return "the "
        + peer
        + " speaks control versions "
        + oldest
        + " to "
        + newest
        + ", the "
        + self
        + " "
        + OLDEST
        + " to "
        + NEWEST
        + ": upgrade the "
        + (newest < OLDEST ? peer : self)
        + " to a neighbouring release first";
  }

  @Override
  public String toString() {
    return oldest + " to " + newest;
  }
}
