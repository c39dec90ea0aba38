package io.sluice.server.user;

import io.sluice.common.id.ApplicationId;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whose applications are, as far as the coordinator has said: of all that run in the cluster, since
 * each may push here next. Empty if this server did not ask.
 */
public final class UserDirectory {
  private static final Logger log = LoggerFactory.getLogger(UserDirectory.class);

  /**
   * Names kept: 4 MB of heap, at some 100 bytes each. Twice what a coordinator admits, because
   * those of applications whose end was missed stay until the next whole list.
   */
  private static final int MAX = 40_000;

  private final int max;
  // All guarded by this.
  private final Map<ApplicationId, Name> names = new HashMap<>();
  // Of the whole list that is being told, or was told last.
  private int list;
  private boolean overflowed;

  private record Name(String user, int list) {}

  public UserDirectory() {
    this(MAX);
  }

  /**
   * @param max names kept
   */
  public UserDirectory(int max) {
    this.max = max;
  }

  /**
   * Takes what the coordinator says. The first user that was heard of an application stays.
   *
   * @param kept applications that are not forgotten though a whole list does not name them
   */
  public synchronized void learn(KnownUsers told, Predicate<ApplicationId> kept) {
    if (told.first()) {
      list++;
    }
    told.users().forEach(this::learn);
    if (told.last()) {
      overflowed = false;
      names
          .entrySet()
          .removeIf(entry -> entry.getValue().list != list && !kept.test(entry.getKey()));
    }
  }

  private void learn(ApplicationId application, String user) {
    Name known = names.get(application);
    if (known != null || names.size() < max) {
      names.put(application, new Name(known == null ? user : known.user, list));
    } else if (!overflowed) {
      overflowed = true;
      log.warn("{} applications have a user already; others go without", max);
    }
  }

  /** Whose an application is, or null if that is not known. */
  public synchronized @Nullable String of(ApplicationId application) {
    Name known = names.get(application);
    return known == null ? null : known.user;
  }

  /** The application is gone for good. */
  public synchronized void forget(ApplicationId application) {
    names.remove(application);
  }

  /** Applications whose user is known. */
  public synchronized int size() {
    return names.size();
  }
}
