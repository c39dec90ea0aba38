package io.sluice.coordinator.placement;

import java.util.ArrayList;
import java.util.List;

/**
 * Leans weights towards servers that are emptier than the others.
 *
 * <p>Dealt out by free capacity alone, servers that are fuller than the mean by a tenth of their
 * capacity get only a little less than the others, so what chance and uneven partitions made stays
 * for long. So a weight is multiplied by (own free share ÷ mean free share)² : at half full, a
 * server 10 % fuller than the mean gets 27 % less of a new shuffle instead of 10 %. Steeper would
 * be faster and herd the shuffles that begin between two reports onto the same few servers; the
 * factor is kept within 1/{@value #FACTOR_MAX} to {@value #FACTOR_MAX} for that.
 */
public final class Leaning {
  static final int FACTOR_MAX = 4;

  private Leaning() {}

  /**
   * What a server offers.
   *
   * @param capacity in the unit of the candidate's weight, if it were empty; at least the weight
   */
  public record Offer(Candidate candidate, long capacity) {
    private double freeShare() {
      return (double) candidate.weight() / Math.max(candidate.weight(), capacity);
    }
  }

  /** The candidates in their order. */
  public static List<Candidate> lean(List<Offer> offers) {
    double free = 0;
    double all = 0;
    for (Offer offer : offers) {
      free += offer.candidate().weight();
      all += Math.max(offer.candidate().weight(), offer.capacity());
    }
    double mean = all == 0 ? 1 : free / all;
    List<Candidate> leaning = new ArrayList<>(offers.size());
    for (Offer offer : offers) {
      double ratio = offer.freeShare() / mean;
      double factor = Math.max(1.0 / FACTOR_MAX, Math.min(FACTOR_MAX, ratio * ratio));
      long weight = (long) (offer.candidate().weight() * factor);
      leaning.add(offer.candidate().weighing(Math.max(1, weight)));
    }
    return leaning;
  }
}
