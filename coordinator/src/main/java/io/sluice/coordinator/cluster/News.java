package io.sluice.coordinator.cluster;

import io.sluice.common.time.Scheduler;
import io.sluice.common.time.Scheduler.Cancellable;
import io.sluice.coordinator.membership.Membership;
import io.sluice.coordinator.registry.ApplicationRecord;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells servers of applications that have registered: at once if one is back, or has to prove
 * itself there and has no others just before it, else soon and together with others.
 */
final class News {
  /**
   * Applications that register within this time are told of together: a cluster that starts a
   * hundred a second sends ten messages to each server, and none knows one much later.
   */
  private static final long DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Scheduler scheduler;
  private final Membership membership;
  private @Nullable Cancellable due;

  News(Scheduler scheduler, Membership membership) {
    this.scheduler = scheduler;
    this.membership = membership;
  }

  void tell(ApplicationRecord record) {
    if (record.returned()) {
      membership.feedAll();
    }
    if (due != null) {
      return;
    }
    if (record.verifier() != null) {
      membership.feedAll();
    }
    due =
        scheduler.schedule(
            DELAY_NANOS,
            () -> {
              due = null;
              membership.feedAll();
            });
  }

  void close() {
    if (due != null) {
      due.cancel();
    }
  }
}
