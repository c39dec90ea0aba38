package io.sluice.simulation.invariant;

import static io.sluice.simulation.invariant.Invariant.NO_PLACEMENT_OF_A_FENCED_LEADER;

import org.jspecify.annotations.Nullable;

/** In whose name something was issued that is written down nowhere. */
public final class TermBook {
  private @Nullable Violation broken;

  /**
   * A leader has issued something. Never throws, since its caller may be a future's.
   *
   * @param term the leader's
   * @param newest the newest term that had begun when the leader was asked
   */
  public void issued(String what, long term, long newest) {
    if (term < newest) {
      broken =
          new Violation(
              NO_PLACEMENT_OF_A_FENCED_LEADER,
              what + " in term " + term + ", asked for when term " + newest + " had begun");
    }
  }

  /** Throws what was found out by {@link #issued}. */
  public void check() {
    if (broken != null) {
      throw broken;
    }
  }
}
