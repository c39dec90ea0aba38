package io.sluice.coordinator.application;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.coordinator.placement.Placement;
import org.jspecify.annotations.Nullable;

/** What all shuffles of a term take of a leader's heap, and how much that may be. */
final class ShuffleBudget {
  /**
   * What all shuffles may cost, in partition assignments of four bytes: 128 MiB, so that a leader
   * fits its heap. Twice that if each uses as many servers as it has assignments, since its list of
   * them takes four bytes for each.
   */
  static final long MAX_ASSIGNMENTS = 32L << 20;

  /**
   * What a shuffle costs besides its assignments, so that those of 0 partitions are bounded too:
   * 200 bytes (key and ids 72, entry of the map 43, placement 32, its list 40, the array's header
   * 16). That makes 671,088 shuffles in all at most.
   */
  static final int SHUFFLE_COST = 50;

  /**
   * Shuffles of an application that are placed at a time: a seventh of all there may be. Spark
   * removes those of queries that are over when its driver has collected garbage, every half hour
   * at the latest, so this is 55 a second.
   */
  static final int MAX_SHUFFLES = 100_000;

  /** Shuffles of earlier leaders that drivers told of, some 100 bytes each: 20 MB. */
  static final int MAX_TOLD = 200_000;

  private long assignments;
  private int shuffles;
  private int told;

  /**
   * @throws SluiceException QUOTA_EXCEEDED if the application, or all together, have no room for
   *     another
   */
  void requireRoom(Application application, ShuffleSpec spec) {
    if (application.shuffles().size() >= MAX_SHUFFLES) {
      throw new SluiceException(
          ErrorCode.QUOTA_EXCEEDED,
          "application "
              + application.id()
              + " has "
              + MAX_SHUFFLES
              + " shuffles already: Spark removes those that are over when its driver collects"
              + " garbage (spark.cleaner.periodicGC.interval)");
    }
    if (assignments + cost((long) spec.partitions() * spec.replicas()) > MAX_ASSIGNMENTS) {
      throw new SluiceException(
          ErrorCode.QUOTA_EXCEEDED,
          "the cluster's " + shuffles + " shuffles leave no room for another of this size");
    }
  }

  private static long cost(long copies) {
    return SHUFFLE_COST + copies;
  }

  void place(Application application, ShuffleKey shuffle, Placement placement) {
    told -= application.told();
    application.place(shuffle, placement);
    told += application.told();
    assignments += cost(placement.assignment().length);
    shuffles++;
  }

  /** Returns what the application has placed there, or null. */
  @Nullable Placement remove(Application application, ShuffleKey shuffle) {
    told -= application.told();
    Placement placement = application.remove(shuffle);
    told += application.told();
    if (placement != null) {
      giveBack(placement);
    }
    return placement;
  }

  /** An application is told of a shuffle that it has; not noted where there is no room. */
  void tell(Application application, ShuffleKey shuffle, int copies) {
    boolean room = told < MAX_TOLD && application.told() < Applications.MAX_TOLD_BY_ONE;
    told += room && application.tell(shuffle, copies) ? 1 : 0;
  }

  /** The application is gone with all that it has. */
  void drop(Application application) {
    told -= application.told();
    application.shuffles().values().forEach(this::giveBack);
  }

  private void giveBack(Placement placement) {
    assignments -= cost(placement.assignment().length);
    shuffles--;
  }

  /** Shuffles that this leader placed. */
  int shuffles() {
    return shuffles;
  }
}
