package io.sluice.client.fetch;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * What of a request came damaged, and whether the server is to be asked again for that. On the
 * task's thread.
 *
 * <p>A server that is told of damage takes out what hides the blocks behind it, so another look may
 * bring these, up to the next damage. It is worth one more if it got further: brought a new block,
 * or met damage in a partition of the request where none was seen before. There are only so many of
 * either, so that is bounded whatever the server sends.
 */
final class DamageSeen {
  private final Run run;
  // Positions in the reader's range: of the run's, so that no header makes this large.
  private final BitSet positions = new BitSet();
  private @Nullable String last;
  private boolean inThisLook;
  private boolean gotFurther = true;

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

  /** True once for each look that met damage and got further; the first one does. */
  boolean isWorthAnotherLook() {
    boolean worth = inThisLook && gotFurther;
    inThisLook = false;
    gotFurther = false;
    return worth;
  }
}
