package io.sluice.common.log;

import io.sluice.common.time.Clock;
import java.util.concurrent.TimeUnit;

/**
 * Lets lines of one kind into the log, {@value #MOST} a minute at most: a peer that makes a server
 * say something as often as it connects must not be able to fill a disk. Thread-safe.
 */
public final class FewLines {
  public static final int MOST = 20;

  private static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Clock clock;
  // Guarded by this.
  private long began;
  private int said;
  private long unsaid;

  public FewLines(Clock clock) {
    this.clock = clock;
    this.began = clock.nanoTime();
  }

  /**
   * One more line.
   *
   * @return -1 if it is not to be said; else how many before it were not
   */
  public synchronized long next() {
    long now = clock.nanoTime();
    if (now - began >= WINDOW_NANOS) {
      began = now;
      said = 0;
    }
    if (said == MOST) {
      unsaid++;
      return -1;
    }
    said++;
    long before = unsaid;
    unsaid = 0;
    return before;
  }
}
