package io.sluice.coordinator.cluster;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.security.Verifier;
import io.sluice.coordinator.application.Declarations;
import io.sluice.coordinator.application.Declarations.Declared;
import io.sluice.coordinator.membership.Directive;
import io.sluice.coordinator.membership.DirectiveFeed;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tells one server what applications prove themselves by, as {@link UserFeed} tells users. */
final class VerifierFeed implements DirectiveFeed {
  /** 116 bytes each. */
  static final int PART = 1_000;

  private final Declarations<Verifier> verifiers;
  private long told;
  private boolean begun;
  private boolean whole;

  VerifierFeed(Declarations<Verifier> verifiers) {
    this.verifiers = verifiers;
  }

  @Override
  public @Nullable Directive next() {
    Map<ApplicationId, Verifier> part = new LinkedHashMap<>();
    Declared<Verifier> next = verifiers.after(told);
    for (; next != null && part.size() < PART; next = verifiers.after(told)) {
      part.put(next.application(), next.value());
      told = next.number();
    }
    if (whole && part.isEmpty()) {
      return null;
    }
    boolean first = !begun;
    boolean last = !whole && next == null;
    begun = true;
    whole |= last;
    return new Directive.Verifiers(first, last, part);
  }
}
