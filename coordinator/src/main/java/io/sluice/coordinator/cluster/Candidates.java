package io.sluice.coordinator.cluster;

import io.sluice.common.placement.PlacementWishes;
import io.sluice.coordinator.membership.ServerState;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.coordinator.placement.FreeCapacity;
import java.util.BitSet;

/**
 * Servers that a driver is told of so that it has somewhere to move partitions to, besides those
 * that it uses. {@value #ENOUGH} good ones are enough: what leaves one server goes to that many,
 * chosen evenly over the cluster, and other drivers know of others. Applications of a cluster that
 * has fewer know all.
 */
final class Candidates {
  static final int ENOUGH = 64;

  private final KnownServers servers;

  Candidates(KnownServers servers) {
    this.servers = servers;
  }

  /**
   * What an application wants of servers.
   *
   * @param zone where they should be, empty if it does not matter
   * @param seed another one for each application
   */
  record Taste(PlacementWishes wishes, String zone, long seed) {
    /** Whether partitions may be given to it, for want of better ones. */
    private boolean isUsable(ServerView view) {
      return view.state() == ServerState.ACTIVE && view.suits(wishes);
    }

    /** Whether a leader would place partitions there; one that was not heard yet may be full. */
    private boolean isGood(ServerView view) {
      return isUsable(view)
          && !view.excluded()
          && view.hasReported()
          && FreeCapacity.of(view.load()) > 0
          && (zone.isEmpty() || zone.equals(view.traits().place().zone()));
    }
  }

  /**
   * Adds candidates until enough of them are good. Where they are not, others fill up.
   *
   * @param scope whose candidates are added to; servers in use are none
   * @param among which to look at
   * @return whether good ones are missing still
   */
  boolean fill(Scope scope, BitSet among, Taste taste) {
    BitSet candidates = scope.candidates();
    int good = 0;
    int usable = 0;
    for (int i = candidates.nextSetBit(0); i >= 0 && good < ENOUGH; ) {
      if (!scope.used().get(i)) {
        ServerView view = servers.view(i);
        usable += taste.isUsable(view) ? 1 : 0;
        good += taste.isGood(view) ? 1 : 0;
      }
      i = candidates.nextSetBit(i + 1);
    }
    BitSet others = (BitSet) among.clone();
    others.andNot(candidates);
    others.andNot(scope.used());
    return good < ENOUGH && !choose(candidates, others, taste, good, usable);
  }

  /** Returns whether enough are good now. */
  private boolean choose(BitSet candidates, BitSet others, Taste taste, int good, int usable) {
    int[] numbers = others.stream().toArray();
    if (numbers.length == 0) {
      return false;
    }
    // Servers that came together stand together, often: the steps are long.
    int step = stride(numbers.length);
    int at = (int) Long.remainderUnsigned(taste.seed, numbers.length);
    int missing = ENOUGH - good;
    BitSet spare = new BitSet();
    int spares = 0;
    for (int i = 0; i < numbers.length && missing > 0; i++) {
      ServerView view = servers.view(numbers[at]);
      if (taste.isGood(view)) {
        candidates.set(numbers[at]);
        missing--;
      } else if (spares < missing && taste.isUsable(view)) {
        spare.set(numbers[at]);
        spares++;
      }
      at = (at + step) % numbers.length;
    }
    int now = usable + (ENOUGH - good - missing);
    for (int i = spare.nextSetBit(0); i >= 0 && now < ENOUGH; i = spare.nextSetBit(i + 1)) {
      candidates.set(i);
      now++;
    }
    return missing == 0;
  }

  /** About two fifths of a round, and prime to it, so that all are met. */
  private static int stride(int end) {
    int step = Math.max(1, (int) (end * 0.382));
    while (gcd(step, end) != 1) {
      step++;
    }
    return step;
  }

  private static int gcd(int a, int b) {
    return b == 0 ? a : gcd(b, a % b);
  }
}
