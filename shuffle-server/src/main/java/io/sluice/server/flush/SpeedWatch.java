package io.sluice.server.flush;

import io.sluice.common.time.Scheduler;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches how fast a store writes units, and logs once each that it is slow and fast again. A timer
 * runs only while it has some to write. Thread-safe.
 */
final class SpeedWatch {
  private static final Logger log = LoggerFactory.getLogger(SpeedWatch.class);

  private final String store;
  private final Scheduler scheduler;
  private final Runnable onSlow;
  private final UnitPace pace = new UnitPace();
  private final AtomicBoolean watching = new AtomicBoolean();

  /**
   * @param onSlow told that the store has become slow; on the timer's thread, must be quick
   */
  SpeedWatch(String store, Scheduler scheduler, Runnable onSlow) {
    this.store = store;
    this.scheduler = scheduler;
    this.onSlow = onSlow;
  }

  private long now() {
    return scheduler.clock().nanoTime();
  }

  /** A unit is handed to the store; returns when, for {@link #ended}. */
  long began() {
    long now = now();
    pace.began(now);
    watch();
    return now;
  }

  /**
   * That unit has come back; exactly once for each.
   *
   * @param parts as of {@link UnitPace#parts}
   */
  void ended(long began, int parts, boolean written) {
    long now = now();
    if (pace.ended(began, now, parts, written)) {
      long seconds = TimeUnit.NANOSECONDS.toSeconds(now - pace.slowSince());
      log.info("{}: fast again after {} s", store, seconds);
      watch();
    }
  }

  private void watch() {
    long next = pace.lookInNanos(now());
    if (next >= 0 && watching.compareAndSet(false, true)) {
      scheduler.schedule(next, this::look);
    }
  }

  private void look() {
    watching.set(false);
    boolean turned = pace.look(now());
    // Before anybody hears of it, whatever comes of that.
    watch();
    if (turned) {
      log.warn(
          "{}: slow: {} s of writing gave {} units at most; while another store is better, that one"
              + " takes what comes, and this one a unit now and then",
          store,
          UnitPace.WINDOW_SECONDS,
          UnitPace.UNITS_MAX);
      onSlow.run();
    }
  }

  boolean slow() {
    return pace.slow();
  }

  /** Whether the store is slow, and should be given a unit to show whether it still is. */
  boolean trialDue() {
    return pace.trialDue(now());
  }
}
