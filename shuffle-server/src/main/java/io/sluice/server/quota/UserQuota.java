package io.sluice.server.quota;

import io.sluice.common.id.ApplicationId;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The bytes that all applications of one user hold here, and their limit. */
final class UserQuota {
  private static final Logger log = LoggerFactory.getLogger(UserQuota.class);

  private final String user;
  private final long limit;
  private final AtomicLong used = new AtomicLong();
  private final AtomicBoolean told = new AtomicBoolean();
  // Changed under the monitor of the quotas.
  private final AtomicInteger applications = new AtomicInteger();

  UserQuota(String user, long limit) {
    this.user = user;
    this.limit = limit;
  }

  String user() {
    return user;
  }

  /** How many applications the user has here, at least 1; a glance. */
  int applications() {
    return Math.max(1, applications.get());
  }

  /** Under the monitor of the quotas. */
  void applicationCame() {
    applications.incrementAndGet();
  }

  /** Under the monitor of the quotas; returns whether it was the last. */
  boolean applicationWent() {
    return applications.decrementAndGet() == 0;
  }

  boolean exhausted() {
    return used.get() >= limit;
  }

  void take(long bytes) {
    used.addAndGet(bytes);
  }

  /** Once an eighth of the limit is free, being refused again is worth a line again. */
  void giveBack(long bytes) {
    long left = used.addAndGet(-bytes);
    if (left < limit - limit / 8 && told.get()) {
      told.set(false);
    }
  }

  long used() {
    return used.get();
  }

  /** Why blocks of an application are refused; said in the log once until there is room again. */
  QuotaRefusal refusal(ApplicationId application, int shuffle) {
    QuotaRefusal refusal =
        new QuotaRefusal(
            QuotaRefusal.USER, "user " + user + ", all applications together,", used.get(), limit);
    if (told.compareAndSet(false, true)) {
      log.warn("{}; refused first was shuffle {} of application {}", refusal, shuffle, application);
    }
    return refusal;
  }
}
