package io.sluice.server.segment;

import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Whose a store is and where its time comes from; without a scheduler nothing is watched.
 *
 * @param names draws numbers of segments where others have taken the next ones
 */
record StoreTerms(
    StoreLife life, Clock clock, @Nullable Scheduler scheduler, SplittableRandom names) {

  static StoreTerms watched(StoreLife life, Scheduler scheduler) {
    return watched(life, scheduler, names(scheduler.clock()));
  }

  static StoreTerms watched(StoreLife life, Scheduler scheduler, SplittableRandom names) {
    return new StoreTerms(life, scheduler.clock(), scheduler, names);
  }

  static StoreTerms unwatched(StoreLife life, Clock clock) {
    return new StoreTerms(life, clock, null, names(clock));
  }

  /** Where nobody else makes files, any will do. */
  private static SplittableRandom names(Clock clock) {
    return new SplittableRandom(clock.nanoTime());
  }
}
