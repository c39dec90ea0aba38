package io.sluice.server.flush;

import java.util.concurrent.TimeUnit;

/**
 * How fast a store writes units, with hysteresis (docs/tiers.md, "Very slow stores"). Thread-safe;
 * time is told.
 *
 * <pre>
 *          {@value #WINDOW_SECONDS} s of writing gave {@value #UNITS_MAX} units at most
 *   FAST ─────────────────────────────────────────────────▶ SLOW
 *     ▲     a unit begun after the pause took less than {@value #FAST_SECONDS} s   │
 *     └───────────────────────────────────────────────────────┘
 * </pre>
 *
 * <p>What counts is units a time, not the time of one: several are written side by side, or wait
 * for each other. One that is not full is a part of one, or small ones would pass a store for fast
 * that takes a second for each; an eighth at least, since the smallest take a seek, too. Time in
 * which the store had none to write does not count. The pause doubles with each relapse within
 * {@value #RELAPSE_SECONDS} s, up to 160 s: a store that goes on and off is soon left alone most of
 * the time.
 */
final class UnitPace {
  static final int WINDOW_SECONDS = 4;

  /** Two MiB a second of flash, four of a spindle. */
  static final int UNITS_MAX = 2;

  /** Of a full unit; less if it is not. */
  static final int FAST_SECONDS = 1;

  /** Of a unit. */
  static final int PARTS = 8;

  static final int PAUSE_SECONDS = 10;
  private static final int PAUSE_DOUBLINGS_MAX = 4;
  private static final int RELAPSE_SECONDS = 60;
  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(WINDOW_SECONDS);
  private static final long FAST_NANOS = TimeUnit.SECONDS.toNanos(FAST_SECONDS);
  private static final long RELAPSE_NANOS = TimeUnit.SECONDS.toNanos(RELAPSE_SECONDS);

  /** A look so much too late says more of this process than of the store. */
  private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private int underWay;
  // Of the window: how long there were units under way, without the time since there are some now.
  private long busyNanos;
  private long busySince;
  private int parts;
  private boolean slow;
  private long slowSince;
  private long trialAt;
  private int doublings;
  private boolean everRecovered;
  private long recoveredAt;

  /** How many parts a unit of so many bytes is, where {@code fullBytes} make a full one. */
  static int parts(long bytes, int fullBytes) {
    return (int) Math.min(PARTS, 1 + bytes * PARTS / fullBytes);
  }

  /** A unit is handed over. */
  synchronized void began(long now) {
    if (underWay == 0) {
      busySince = now;
    }
    underWay++;
  }

  /**
   * It has come back.
   *
   * @param began when it was handed over
   * @param unitParts as of {@link #parts}
   * @param written whether it was
   * @return whether the store is fast again thereby
   */
  synchronized boolean ended(long began, long now, int unitParts, boolean written) {
    parts += unitParts;
    underWay--;
    if (underWay == 0) {
      busyNanos += now - busySince;
    }
    if (!slow || began - trialAt < 0) {
      return false;
    }
    if (!written || now - began >= FAST_NANOS / PARTS * unitParts) {
      trialAt = now + pauseNanos();
      return false;
    }
    slow = false;
    everRecovered = true;
    recoveredAt = now;
    beginWindow(now);
    return true;
  }

  private long pauseNanos() {
    return TimeUnit.SECONDS.toNanos(PAUSE_SECONDS) << doublings;
  }

  private void beginWindow(long now) {
    busyNanos = 0;
    busySince = now;
    parts = 0;
  }

  /** How long until {@link #look} can find anything out; -1 if there is nothing to ask. */
  synchronized long lookInNanos(long now) {
    return slow || underWay == 0 ? -1 : Math.max(0, WINDOW_NANOS - busy(now));
  }

  private long busy(long now) {
    return busyNanos + (underWay == 0 ? 0 : now - busySince);
  }

  /** Judges a window if one is full; whether the store is slow from now on, and was not before. */
  synchronized boolean look(long now) {
    long busy = busy(now);
    if (slow || busy < WINDOW_NANOS) {
      return false;
    }
    boolean tooFew = parts * WINDOW_NANOS <= UNITS_MAX * PARTS * busy;
    beginWindow(now);
    if (!tooFew || busy > WINDOW_NANOS + LATE_NANOS) {
      return false;
    }
    boolean relapse = everRecovered && now - recoveredAt < RELAPSE_NANOS;
    doublings = relapse ? Math.min(doublings + 1, PAUSE_DOUBLINGS_MAX) : 0;
    slow = true;
    slowSince = now;
    trialAt = now + pauseNanos();
    return true;
  }

  synchronized boolean slow() {
    return slow;
  }

  /** Since when it is, or was last. */
  synchronized long slowSince() {
    return slowSince;
  }

  /** Whether it is slow, and one unit would show whether it still is. */
  synchronized boolean trialDue(long now) {
    return slow && underWay == 0 && now - trialAt >= 0;
  }
}
