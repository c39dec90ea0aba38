package io.sluice.mapreduce.read;

import java.time.Duration;
import java.util.BitSet;
import java.util.SplittableRandom;

/**
 * When the application master is told that outputs are lost, and of which maps. It counts reports
 * and answers none, so they are repeated until an event says that a map runs again; but not by all
 * reducers at once, nor by each every second: pauses double after each turn through all of them, up
 * to {@link #LONGEST}, and differ by up to a half. Of many maps a report names some, from another
 * one on in each reducer.
 *
 * <p>With 10,000 maps and 1,000 reduces, where all of them every second would be 10 million ids a
 * second for the master, that is half a million at first, 5 MB, and 30,000 in the end. Used by one
 * thread.
 */
final class MissingReports {
  /** Maps in one report. */
  static final int MAX_MAPS = 500;

  private static final long FIRST = Duration.ofSeconds(1).toMillis();
  private static final long LONGEST = Duration.ofSeconds(16).toMillis();

  private final SplittableRandom random;
  private BitSet known = new BitSet();
  private int next;
  private int leftInTurn;
  private long pauseMillis = FIRST;
  private long leftMillis;

  /**
   * @param seed another one for each reducer
   */
  MissingReports(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /** Time has passed. */
  void passed(Duration time) {
    leftMillis -= time.toMillis();
  }

  /**
   * Which maps to report now; none if it is not time. What was found just now is reported at once.
   *
   * @param missing all whose winners are not to be had
   */
  BitSet next(BitSet missing) {
    BitSet found = (BitSet) missing.clone();
    found.andNot(known);
    known = (BitSet) missing.clone();
    if (!found.isEmpty()) {
      pauseMillis = FIRST;
      leftMillis = 0;
      leftInTurn = missing.cardinality();
      next = missing.stream().skip(random.nextInt(leftInTurn)).findFirst().orElse(0);
    }
    BitSet now = new BitSet();
    if (missing.isEmpty() || leftMillis > 0) {
      return now;
    }
    int count = Math.min(MAX_MAPS, missing.cardinality());
    for (int i = 0; i < count; i++) {
      int map = missing.nextSetBit(next);
      if (map < 0) {
        map = missing.nextSetBit(0);
      }
      now.set(map);
      next = map + 1;
    }
    leftMillis = pauseMillis - pauseMillis / 4 + random.nextLong(pauseMillis / 2 + 1);
    leftInTurn -= count;
    if (leftInTurn <= 0) {
      leftInTurn = missing.cardinality();
      pauseMillis = Math.min(LONGEST, pauseMillis * 2);
    }
    return now;
  }
}
