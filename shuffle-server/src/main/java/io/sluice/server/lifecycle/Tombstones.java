package io.sluice.server.lifecycle;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Remembers what was removed, so that late pushes do not bring it back. Bounded: the oldest
 * applications are forgotten first, and within one the oldest shuffles; what is forgotten could at
 * worst be pushed to again and then expires with its application. Not thread-safe.
 */
final class Tombstones {
  static final int MAX_APPLICATIONS = 10_000;
  static final int MAX_SHUFFLES = 10_000;

  private final Set<ApplicationId> applications = new LinkedHashSet<>();
  private final Map<ApplicationId, Set<ShuffleKey>> shuffles = new LinkedHashMap<>();

  void add(ShuffleKey shuffle) {
    if (applications.contains(shuffle.application())) {
      return;
    }
    Set<ShuffleKey> removed =
        shuffles.computeIfAbsent(shuffle.application(), a -> new LinkedHashSet<>());
    removed.add(shuffle);
    dropOldest(removed, MAX_SHUFFLES);
    dropOldest(shuffles.keySet(), MAX_APPLICATIONS);
  }

  void add(ApplicationId application) {
    applications.add(application);
    shuffles.remove(application);
    dropOldest(applications, MAX_APPLICATIONS);
  }

  /** The application is back; what is removed of it from now on is remembered again. */
  void remove(ApplicationId application) {
    applications.remove(application);
  }

  boolean contains(ShuffleKey shuffle) {
    Set<ShuffleKey> removed = shuffles.get(shuffle.application());
    return applications.contains(shuffle.application())
        || (removed != null && removed.contains(shuffle));
  }

  private static void dropOldest(Set<?> set, int max) {
    if (set.size() > max) {
      var oldest = set.iterator();
      oldest.next();
      oldest.remove();
    }
  }
}
