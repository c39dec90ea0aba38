package io.sluice.coordinator.application;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Scheduler.Cancellable;
import io.sluice.coordinator.placement.Placement;
import io.sluice.coordinator.registry.ApplicationRecord;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One application: registered, or only known from the servers that hold its data. */
final class Application {
  private final ApplicationId id;
  private final Map<ShuffleKey, Placement> shuffles = new HashMap<>();
  // Placed by earlier leaders, as the driver says; copies of partitions.
  private final Map<ShuffleKey, Integer> told = new HashMap<>();
  private long copies;
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

  /** Those that this leader placed; only to be read. */
  Map<ShuffleKey, Placement> shuffles() {
    return Collections.unmodifiableMap(shuffles);
  }

  void place(ShuffleKey shuffle, Placement placement) {
    forgetTold(shuffle);
    shuffles.put(shuffle, placement);
    copies += placement.assignment().length;
  }

  /** Forgets a shuffle; returns its placement if this leader made it. */
  @Nullable Placement remove(ShuffleKey shuffle) {
    forgetTold(shuffle);
    Placement placement = shuffles.remove(shuffle);
    copies -= placement == null ? 0 : placement.assignment().length;
    return placement;
  }

  /** Returns whether it is news. */
  boolean tell(ShuffleKey shuffle, int copiesThere) {
    if (shuffles.containsKey(shuffle) || told.putIfAbsent(shuffle, copiesThere) != null) {
      return false;
    }
    copies += copiesThere;
    return true;
  }

  private void forgetTold(ShuffleKey shuffle) {
    Integer before = told.remove(shuffle);
    copies -= before == null ? 0 : before;
  }

  /** Shuffles that only the driver has told of. */
  int told() {
    return told.size();
  }

  /** Copies of partitions in each of them; only to be read. */
  Map<ShuffleKey, Integer> earlier() {
    return Collections.unmodifiableMap(told);
  }

  /** Shuffles that are known, whoever placed them. */
  int size() {
    return shuffles.size() + told.size();
  }

  /** Copies of partitions in all shuffles that are known. */
  long copies() {
    return copies;
  }
}
