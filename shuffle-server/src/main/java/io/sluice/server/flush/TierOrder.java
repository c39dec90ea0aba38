package io.sluice.server.flush;

import io.sluice.server.segment.Tier;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/**
 * Which stores take the next unit: of the fittest the highest tier, all stores of it. So extents
 * fall through to a lower tier exactly when no store above it is as fit, and wherever any store
 * works, some store takes. Pure.
 */
final class TierOrder {
  private TierOrder() {}

  /** A store as this choice sees it. */
  record Candidate(Tier tier, Fitness fitness) {}

  /**
   * The stores that take, by their places in the list; none only if all have failed.
   *
   * @param from the tier to begin with: the highest for ordinary partitions, a lower one for those
   *     that should not fill the higher. If no store from there on is as fit as one above, that one
   *     takes after all.
   */
  static BitSet takers(List<Candidate> stores, Tier from) {
    BitSet takers = new BitSet(stores.size());
    Comparator<Candidate> order = order(from);
    Candidate best = null;
    for (int i = 0; i < stores.size(); i++) {
      Candidate store = stores.get(i);
      if (store.fitness() == Fitness.FAILED) {
        continue;
      }
      int comparison = best == null ? -1 : order.compare(store, best);
      if (comparison < 0) {
        best = store;
        takers.clear();
      }
      if (comparison <= 0) {
        takers.set(i);
      }
    }
    return takers;
  }

  /**
   * First by fitness, then by tier: down from the first one, then those above it, nearest first.
   */
  private static Comparator<Candidate> order(Tier from) {
    return Comparator.comparing(Candidate::fitness)
        .thenComparing(store -> store.tier().compareTo(from) < 0)
        .thenComparingInt(store -> Math.abs(store.tier().depth() - from.depth()));
  }
}
