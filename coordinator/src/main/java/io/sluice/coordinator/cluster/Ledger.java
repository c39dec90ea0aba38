package io.sluice.coordinator.cluster;

import io.sluice.common.id.ApplicationId;
import io.sluice.coordinator.admission.Held;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What each application has, and each user with all of them together, kept up to date with every
 * change: so a question costs the same whether a user runs one application or all ten thousand.
 */
final class Ledger {
  private final Map<ApplicationId, Account> applications = new HashMap<>();
  private final Map<String, Sum> users = new HashMap<>();

  private static final class Account {
    private long bytes;
    private long copies;
    // Of the user while it is registered. A user's sum is there for as long as he has one.
    private @Nullable String user;

    private boolean isEmpty() {
      return user == null && bytes == 0 && copies == 0;
    }
  }

  private static final class Sum {
    private long bytes;
    private long copies;
    private long applications;
  }

  /** An application is registered, and this user's; again, or with another user, is fine. */
  void registered(ApplicationId id, String user) {
    Account account = account(id);
    if (!user.equals(account.user)) {
      leave(account);
      account.user = user;
      Sum sum = users.computeIfAbsent(user, name -> new Sum());
      sum.applications++;
      sum.bytes += account.bytes;
      sum.copies += account.copies;
    }
  }

  /** An application is nobody's any more; what servers still hold of it goes when they say so. */
  void ended(ApplicationId id) {
    Account account = applications.get(id);
    if (account != null) {
      copies(id, 0);
      leave(account);
      drop(id, account);
    }
  }

  private void leave(Account account) {
    Sum sum = account.user == null ? null : users.get(account.user);
    if (sum != null) {
      sum.applications--;
      sum.bytes -= account.bytes;
      sum.copies -= account.copies;
      if (sum.applications == 0) {
        users.remove(account.user);
      }
    }
    account.user = null;
  }

  /** How many copies of partitions an application has now. */
  void copies(ApplicationId id, long copies) {
    Account account = account(id);
    Sum sum = account.user == null ? null : users.get(account.user);
    if (sum != null) {
      sum.copies += copies - account.copies;
    }
    account.copies = copies;
    drop(id, account);
  }

  /** Servers hold so many bytes more, or fewer, of an application. */
  void bytes(ApplicationId id, long more) {
    Account account = account(id);
    Sum sum = account.user == null ? null : users.get(account.user);
    if (sum != null) {
      sum.bytes += more;
    }
    account.bytes += more;
    drop(id, account);
  }

  private Account account(ApplicationId id) {
    return applications.computeIfAbsent(id, any -> new Account());
  }

  private void drop(ApplicationId id, Account account) {
    if (account.isEmpty()) {
      applications.remove(id);
    }
  }

  Held application(ApplicationId id) {
    Account account = applications.get(id);
    return account == null
        ? Held.NOTHING
        : new Held(account.bytes, account.copies, account.user == null ? 0 : 1);
  }

  Held user(String user) {
    Sum sum = users.get(user);
    return sum == null ? Held.NOTHING : new Held(sum.bytes, sum.copies, sum.applications);
  }

  /** Applications and users that it has something of. */
  int size() {
    return applications.size() + users.size();
  }
}
