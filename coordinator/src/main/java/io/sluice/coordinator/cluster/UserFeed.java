package io.sluice.coordinator.cluster;

import io.sluice.common.id.ApplicationId;
import io.sluice.coordinator.application.Declarations;
import io.sluice.coordinator.application.Declarations.Declared;
import io.sluice.coordinator.membership.Directive;
import io.sluice.coordinator.membership.DirectiveFeed;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tells one server whose applications are: the whole list in parts, then what is added to it. All
 * feeds read one list, so that a server costs a number however slow it is. Applications that ended
 * are no business of the feed: servers are told to drop them.
 */
final class UserFeed implements DirectiveFeed {
  /** 22 KB with a few users; 300 KB if each has one of its own with 256 letters. */
  static final int PART = 1_000;

  private final Declarations<String> users;
  private long told;
  private boolean begun;
  private boolean whole;

  UserFeed(Declarations<String> users) {
    this.users = users;
  }

  @Override
  public @Nullable Directive next() {
    Map<String, List<ApplicationId>> part = new LinkedHashMap<>();
    Declared<String> next = users.after(told);
    for (int size = 0; next != null && size < PART; size++) {
      part.computeIfAbsent(next.value(), user -> new ArrayList<>()).add(next.application());
      told = next.number();
      next = users.after(told);
    }
    if (whole && part.isEmpty()) {
      return null;
    }
    boolean first = !begun;
    boolean last = !whole && next == null;
    begun = true;
    whole |= last;
    return new Directive.Users(first, last, part);
  }
}
