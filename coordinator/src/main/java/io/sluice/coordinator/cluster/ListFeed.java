package io.sluice.coordinator.cluster;

import io.sluice.coordinator.application.Declarations;
import io.sluice.coordinator.application.Declarations.Declared;
import io.sluice.coordinator.membership.Directive;
import io.sluice.coordinator.membership.DirectiveFeed;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells one server what was declared of applications: the whole list in parts, then what is added
 * to it. All feeds read one list, so that a server costs a number however slow it is. Applications
 * that ended are no business of the feed: servers are told to drop them.
 */
abstract class ListFeed<V> implements DirectiveFeed {
  /** Applications in one directive. */
  static final int PART = 1_000;

  private final Declarations<V> list;
  private long told;
  private boolean begun;
  private boolean whole;

  ListFeed(Declarations<V> list) {
    this.list = list;
  }

  /**
   * What tells a server of a part.
   *
   * @param first what the server knew before is void
   * @param last the server knows the whole list then
   */
  abstract Directive directive(boolean first, boolean last, List<Declared<V>> part);

  @Override
  public final @Nullable Directive next() {
    List<Declared<V>> part = new ArrayList<>();
    Declared<V> next = list.after(told);
    while (next != null && part.size() < PART) {
      part.add(next);
      told = next.number();
      next = list.after(told);
    }
    if (whole && part.isEmpty()) {
      return null;
    }
    boolean first = !begun;
    boolean last = !whole && next == null;
    begun = true;
    whole |= last;
    return directive(first, last, part);
  }
}
