package io.sluice.client;

/**
 * Whether those that are left of a replica set hold everything that it acknowledged.
 *
 * <p>The first member holds all of it. Where all members had to, so does each of them. Where a
 * majority was enough, that was the first and half of the others (rounded up): so there may be as
 * many others as the rest that miss something, and it takes one more to be sure.
 */
public final class Survivors {
  private Survivors() {}

  /**
   * @param majorityEnough whether blocks were acknowledged that a majority held
   * @param others members besides the first, 0 to 2
   * @param firstLeft whether the first is left
   * @param othersLeft how many of the others are
   */
  public static boolean suffice(
      boolean majorityEnough, int others, boolean firstLeft, int othersLeft) {
    int mayMiss = majorityEnough ? others - (others + 1) / 2 : 0;
    return firstLeft || othersLeft > mayMiss;
  }
}
