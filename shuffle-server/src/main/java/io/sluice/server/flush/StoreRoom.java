package io.sluice.server.flush;

import io.sluice.server.segment.SegmentStore;

/** Looks how much room a store had a moment ago, with hysteresis. Thread-safe. */
final class StoreRoom {
  private final SegmentStore store;
  private final TierLimits limits;
  private boolean crowded;

  StoreRoom(SegmentStore store, TierLimits limits) {
    this.store = store;
    this.limits = limits;
  }

  /** Never {@link Fitness#FAILED}. A store that cannot tell its size has room until it fails. */
  synchronized Fitness look() {
    SegmentStore.DiskUsage usage = store.usage();
    if (usage.capacity() <= 0) {
      return Fitness.FIT;
    }
    if (usage.free() < store.comfortableSpace()) {
      crowded = true;
      return Fitness.FULL;
    }
    double used = 1 - (double) usage.free() / usage.capacity();
    double limit = crowded ? limits.watermark() - TierLimits.HYSTERESIS : limits.watermark();
    crowded = used > limit;
    return crowded ? Fitness.CROWDED : Fitness.FIT;
  }
}
