package io.sluice.server.flush;

import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.Tier;
import java.util.BitSet;
import java.util.List;

/**
 * Says which flushers take units now, by looking at all stores each time: at what each disk said of
 * its room a moment ago, so nobody waits for one. Thread-safe.
 */
final class StoreChoice {
  private final List<DiskFlusher> flushers;
  private final boolean hugeApart;
  private final Tier lowest;

  /**
   * @param flushers of all stores
   */
  StoreChoice(List<DiskFlusher> flushers, TierLimits limits) {
    this.flushers = flushers;
    this.hugeApart = limits.hugePartitionBytes() < Long.MAX_VALUE;
    this.lowest =
        flushers.stream()
            .map(flusher -> flusher.store().tier())
            .reduce(Tier.SSD, (a, b) -> a.compareTo(b) >= 0 ? a : b);
  }

  /** What a flusher takes. */
  Share share(DiskFlusher flusher) {
    List<TierOrder.Candidate> candidates = candidates();
    int place = flushers.indexOf(flusher);
    boolean ordinary = TierOrder.takers(candidates, Tier.SSD).get(place);
    boolean huge = takersOfHuge(candidates).get(place);
    if (ordinary) {
      return huge ? Share.ALL : Share.ORDINARY;
    }
    return huge ? Share.HUGE : Share.NOTHING;
  }

  private BitSet takersOfHuge(List<TierOrder.Candidate> candidates) {
    return TierOrder.takers(candidates, hugeApart ? lowest : Tier.SSD);
  }

  /** Wakes all who take anything: some of it may have been another's until now. */
  void wakeTakers() {
    List<TierOrder.Candidate> candidates = candidates();
    BitSet takers = TierOrder.takers(candidates, Tier.SSD);
    takers.or(takersOfHuge(candidates));
    takers.stream().forEach(place -> flushers.get(place).wake());
  }

  private List<TierOrder.Candidate> candidates() {
    return flushers.stream()
        .map(
            flusher -> {
              SegmentStore store = flusher.store();
              return new TierOrder.Candidate(store.tier(), flusher.fitness());
            })
        .toList();
  }
}
