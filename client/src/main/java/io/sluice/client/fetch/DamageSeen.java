package io.sluice.client.fetch;

import java.time.Duration;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * What of a request came damaged, and whether the server is to be asked again for that. On the
 * task's thread.
 *
 * <p>A server that is told of damage takes out what hides the blocks behind it, so another look may
 * bring these, up to the next damage. It is worth one more if it got further: brought a new block,
 * or met damage in a partition of the request where none was seen before. There are only so many of
 * either, so that is bounded whatever the server sends. But there may be many, and a server may
 * look for seconds before it answers: so no look begins later than 30 s after the second one. What
 * is not there by then is missing.
 */
final class DamageSeen {
  /** Several times as long as a server looks for damage before it answers. */
  private static final long MOST_NANOS = Duration.ofSeconds(30).toNanos();

  private final Run run;
  // Positions in the reader's range: of the run's, so that no header makes this large.
  private final BitSet positions = new BitSet();
  private @Nullable String last;
  private boolean inThisLook;
  private boolean gotFurther = true;
  private boolean lookedAgain;
  // Of the clock that the caller has; once lookedAgain.
  private long lookedAgainAt;

  DamageSeen(Run run) {
    this.run = run;
  }

  /**
   * @param position of the partition in the reader's range; any number, as a damaged header says
   */
  void at(int position) {
    if (run.contains(position) && !positions.get(position)) {
      positions.set(position);
      gotFurther = true;
    }
  }

  void gotSomethingNew() {
    gotFurther = true;
  }

  /** Something was damaged, wherever. */
  void met(String what) {
    last = what;
    inThisLook = true;
  }

  /** What was damaged last, for messages; null if nothing was. */
  @Nullable String last() {
    return last;
  }

  /**
   * True once for each look that met damage and got further, until there is no more time for that;
   * the first one does.
   *
   * @param now nanoseconds, of one clock
   */
  boolean isWorthAnotherLook(long now) {
    boolean inTime = !lookedAgain || now - lookedAgainAt < MOST_NANOS;
    boolean worth = inThisLook && gotFurther && inTime;
    if (worth && !lookedAgain) {
      lookedAgain = true;
      lookedAgainAt = now;
    }
    inThisLook = false;
    gotFurther = false;
    return worth;
  }
}
