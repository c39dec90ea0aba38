package io.sluice.coordinator.application;

import io.sluice.common.id.ApplicationId;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Whose the applications are, numbered in the order in which that became known, so that whoever has
 * been told up to some number needs only that number to go on.
 */
public final class DeclaredUsers {
  private final NavigableMap<Long, Declared> byNumber = new TreeMap<>();
  private final Map<ApplicationId, Long> numbers = new HashMap<>();
  private long last;

  /** One application's user, as its first registration with a user said it. */
  public record Declared(long number, ApplicationId application, String user) {}

  /** Notes a user; the first one stays. An empty one is none. */
  void declare(ApplicationId application, String user) {
    if (!user.isEmpty() && !numbers.containsKey(application)) {
      last++;
      numbers.put(application, last);
      byNumber.put(last, new Declared(last, application, user));
    }
  }

  void forget(ApplicationId application) {
    Long number = numbers.remove(application);
    if (number != null) {
      byNumber.remove(number);
    }
  }

  /** The one that became known next after a number, or null. */
  public @Nullable Declared after(long number) {
    Map.Entry<Long, Declared> next = byNumber.higherEntry(number);
    return next == null ? null : next.getValue();
  }
}
