package io.sluice.server.quota;

import io.sluice.common.id.ApplicationId;
import io.sluice.server.user.KnownUsers;
import io.sluice.server.user.UserDirectory;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The quotas of all applications that hold something here, and of their users.
 *
 * <p>Users are what the coordinator says. That an application has a quota and that its user is
 * known come in any order; whichever is second, joins them, under the monitor. Bytes are taken and
 * given back without it.
 */
public final class Quotas {
  // However many applications a user runs, each of them goes on.
  private static final double WEIGHT_MIN = 1.0 / 64;

  private final QuotaLimits limits;
  // Changed under the monitor.
  private final Map<ApplicationId, ByteQuota> quotas = new ConcurrentHashMap<>();
  private final UserDirectory names;
  // Guarded by this.
  private final Map<String, UserQuota> users = new HashMap<>();

  /** For applications whose users nobody names. */
  public Quotas(QuotaLimits limits) {
    this(limits, new UserDirectory());
  }

  /**
   * @param names of users, to be changed through these quotas only
   */
  public Quotas(QuotaLimits limits, UserDirectory names) {
    this.limits = limits;
    this.names = names;
  }

  /** The quota of an application for one more shuffle, which ends with {@link #release}. */
  public synchronized ByteQuota acquire(ApplicationId application) {
    ByteQuota quota = quotas.get(application);
    if (quota == null) {
      quota = new ByteQuota(application, limits);
      join(quota, names.of(application));
      quotas.put(application, quota);
    }
    quota.shuffleCame();
    return quota;
  }

  /**
   * A shuffle is gone and its bytes are given back. With the last one the application's quota goes,
   * with the last of these the user's.
   */
  public synchronized void release(ApplicationId application) {
    ByteQuota quota = quotas.get(application);
    if (quota == null) {
      throw new IllegalStateException("application " + application + " has no quota");
    }
    if (quota.shuffleWent()) {
      quotas.remove(application);
      UserQuota owner = quota.user();
      if (owner != null && owner.applicationWent()) {
        users.remove(owner.user());
      }
    }
  }

  /** The quota of an application that has a shuffle here, or null. */
  public @Nullable ByteQuota find(ApplicationId application) {
    return quotas.get(application);
  }

  /**
   * Takes what the coordinator says of users. What is held by applications whose user was not known
   * moves to the user's account, and may take that beyond its limit.
   */
  public void learn(KnownUsers told) {
    // Before quotas are looked at: one that is made meanwhile finds the name, or is found here.
    names.learn(told, quotas::containsKey);
    told.users().keySet().forEach(this::joinIfThere);
  }

  private synchronized void joinIfThere(ApplicationId application) {
    ByteQuota quota = quotas.get(application);
    if (quota != null && quota.user() == null) {
      join(quota, names.of(application));
    }
  }

  private void join(ByteQuota quota, @Nullable String user) {
    if (user != null && limits.limitsUsers()) {
      UserQuota owner =
          users.computeIfAbsent(user, name -> new UserQuota(name, limits.userBytes()));
      owner.applicationCame();
      quota.belongsTo(owner);
    }
  }

  /** The application is gone for good: whose it was is not known any more. */
  public void forget(ApplicationId application) {
    names.forget(application);
  }

  /**
   * How much of a scarce thing an application is due beside others: what it may hold here, in
   * relation to what any may. With a quota by user the applications of one share what is due to
   * him, so that nobody gets more by running more of them. Takes no lock.
   *
   * @return in [1/64, 1]
   */
  public double weight(Object application) {
    ByteQuota quota = application instanceof ApplicationId known ? quotas.get(known) : null;
    UserQuota owner = quota == null ? null : quota.user();
    if (owner == null) {
      return 1;
    }
    double most = Math.min(limits.userBytes(), limits.applicationBytes());
    double due = Math.min((double) limits.userBytes() / owner.applications(), most);
    return Math.max(due / most, WEIGHT_MIN);
  }

  /**
   * How many applications are refused blocks, whatever their users may store: those that hold all
   * they may, and those with a partition that does and was pushed to since.
   */
  public long exhausted() {
    return quotas.values().stream().filter(ByteQuota::refusesSome).count();
  }

  /** How many users may store nothing more. */
  public synchronized long exhaustedUsers() {
    return users.values().stream().filter(UserQuota::exhausted).count();
  }

  /** Bytes of all applications. */
  public long used() {
    return quotas.values().stream().mapToLong(ByteQuota::used).sum();
  }

  /** Bytes of each user with a shuffle here. */
  public synchronized Map<String, Long> usedByUser() {
    Map<String, Long> bytes = new HashMap<>();
    users.forEach((user, quota) -> bytes.put(user, quota.used()));
    return bytes;
  }
}
