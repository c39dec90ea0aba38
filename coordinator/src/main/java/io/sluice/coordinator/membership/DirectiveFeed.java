package io.sluice.coordinator.membership;

import org.jspecify.annotations.Nullable;

/**
 * What one session is to be told besides the directives addressed to its server: made when the
 * channel takes more, so a slow server costs no queue. Confined to the control thread.
 */
public interface DirectiveFeed {
  DirectiveFeed NONE = () -> null;

  /** The next one, which will be sent; or null if there is none for now. */
  @Nullable Directive next();

  /** This one, and another whenever this one has nothing. */
  default DirectiveFeed then(DirectiveFeed other) {
    return () -> {
      Directive own = next();
      return own == null ? other.next() : own;
    };
  }
}
