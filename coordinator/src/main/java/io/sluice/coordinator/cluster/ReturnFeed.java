package io.sluice.coordinator.cluster;

import io.sluice.common.id.ApplicationId;
import io.sluice.coordinator.application.Declarations;
import io.sluice.coordinator.application.Declarations.Declared;
import io.sluice.coordinator.membership.Directive;
import io.sluice.coordinator.membership.DirectiveFeed;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells one server which applications have come back, so that it takes their blocks although it was
 * told to drop them. Few ever do; 18 bytes each.
 */
final class ReturnFeed implements DirectiveFeed {
  private final Declarations<Boolean> returned;
  private long told;

  ReturnFeed(Declarations<Boolean> returned) {
    this.returned = returned;
  }

  @Override
  public @Nullable Directive next() {
    List<ApplicationId> part = new ArrayList<>();
    Declared<Boolean> next;
    while (part.size() < ListFeed.PART && (next = returned.after(told)) != null) {
      part.add(next.application());
      told = next.number();
    }
    return part.isEmpty() ? null : new Directive.Returned(part);
  }
}
