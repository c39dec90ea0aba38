package io.sluice.simulation.invariant;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An invariant does not hold. An error, so that no code under test handles it. */
public final class Violation extends Error {
  private static final long serialVersionUID = 1;

  private final Invariant invariant;

  public Violation(Invariant invariant, String what) {
    this(invariant, what, null);
  }

  public Violation(Invariant invariant, String what, @Nullable Throwable cause) {
    super(invariant + ": " + what, cause);
    this.invariant = invariant;
  }

  public Invariant invariant() {
    return invariant;
  }

  /** Checks a condition. */
  public static void unless(boolean holds, Invariant invariant, String what) {
    unless(holds, invariant, () -> what);
  }

  /** Checks a condition that holds too often to put into words each time. */
  public static void unless(boolean holds, Invariant invariant, Supplier<String> what) {
    if (!holds) {
      throw new Violation(invariant, what.get());
    }
  }
}
