package io.sluice.coordinator.application;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Scheduler.Cancellable;
import io.sluice.coordinator.placement.Placement;
import io.sluice.coordinator.registry.ApplicationRecord;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One application: registered, or only known from the servers that hold its data. */
final class Application {
  private final ApplicationId id;
  private final Map<ShuffleKey, Placement> shuffles = new HashMap<>();
  private @Nullable ApplicationRecord registration;
  private long lastHeardNanos;
  private @Nullable Cancellable timer;

  Application(ApplicationId id, @Nullable ApplicationRecord registration, long nowNanos) {
    this.id = id;
    this.registration = registration;
    this.lastHeardNanos = nowNanos;
  }

  void register(ApplicationRecord record, long nowNanos) {
    registration = record;
    hear(nowNanos);
  }

  void hear(long nowNanos) {
    lastHeardNanos = nowNanos;
  }

  void restartTimer(Cancellable next) {
    stopTimer();
    timer = next;
  }

  void stopTimer() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  ApplicationId id() {
    return id;
  }

  @Nullable ApplicationRecord registration() {
    return registration;
  }

  long lastHeardNanos() {
    return lastHeardNanos;
  }

  Map<ShuffleKey, Placement> shuffles() {
    return shuffles;
  }
}
