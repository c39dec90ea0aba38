package io.sluice.coordinator.cluster;

import io.sluice.common.placement.PlacementWishes;
import io.sluice.coordinator.membership.ServerState;
import io.sluice.coordinator.membership.ServerView;
import java.util.BitSet;
import java.util.function.Predicate;

/**
 * Servers that a driver is told of so that it has somewhere to move partitions to, besides those
 * that it uses. {@value #ENOUGH} are enough: what leaves one server goes to that many, chosen
 * evenly over the cluster, and other drivers know of others. Applications of a cluster that has
 * fewer know all.
 */
final class Candidates {
  static final int ENOUGH = 64;

  private final KnownServers servers;

  Candidates(KnownServers servers) {
    this.servers = servers;
  }

  /**
   * Adds servers to those that a driver is told of, until enough of them may be given partitions.
   *
   * @param scope numbers of servers, added to
   * @param among which to look at
   * @param zone where they should be, empty if it does not matter
   * @param seed another one for each application
   */
  void fill(BitSet scope, BitSet among, PlacementWishes wishes, String zone, long seed) {
    int missing = ENOUGH;
    for (int i = scope.nextSetBit(0); i >= 0 && missing > 0; i = scope.nextSetBit(i + 1)) {
      missing -= isUsable(servers.view(i), wishes) ? 1 : 0;
    }
    Predicate<ServerView> good =
        view ->
            isUsable(view, wishes)
                && !view.excluded()
                && (zone.isEmpty() || zone.equals(view.traits().place().zone()));
    missing = add(scope, among, seed, missing, good);
    add(scope, among, seed, missing, view -> isUsable(view, wishes));
  }

  private int add(BitSet scope, BitSet among, long seed, int missing, Predicate<ServerView> which) {
    int end = servers.end();
    if (missing == 0 || end == 0) {
      return missing;
    }
    // Servers that came together stand together, often: the steps are long.
    int step = stride(end);
    int at = (int) Long.remainderUnsigned(seed, end);
    int left = missing;
    for (int i = 0; i < end && left > 0; i++) {
      if (among.get(at) && !scope.get(at) && which.test(servers.view(at))) {
        scope.set(at);
        left--;
      }
      at = (at + step) % end;
    }
    return left;
  }

  private static boolean isUsable(ServerView view, PlacementWishes wishes) {
    return view.state() == ServerState.ACTIVE && wishes.allow(view.traits().tags());
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
