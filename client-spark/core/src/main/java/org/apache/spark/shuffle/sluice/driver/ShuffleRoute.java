package org.apache.spark.shuffle.sluice.driver;

import java.util.Locale;

/** Which way a shuffle went and why, decided when it was registered. Immutable. */
public final class ShuffleRoute {
  /** What decided. */
  public enum Why {
    /** Coordinators gave it a place: it goes through Sluice. All others are local. */
    PLACED,
    /** It has fewer partitions than the configuration wants in Sluice. */
    FEW_PARTITIONS,
    /** Coordinators do not admit it, or have no room for it. */
    REFUSED,
    /** No coordinator answered in time. */
    UNREACHABLE,
    /** The configuration says so of every shuffle. */
    ALWAYS;

    /** Such as {@code few-partitions}. */
    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  private final int shuffleId;
  private final int partitions;
  private final Why why;
  private final String reason;

  private ShuffleRoute(int shuffleId, int partitions, Why why, String reason) {
    this.shuffleId = shuffleId;
    this.partitions = partitions;
    this.why = why;
    this.reason = reason;
  }

  /** Through Sluice. */
  public static ShuffleRoute placed(int shuffleId, int partitions) {
    return new ShuffleRoute(shuffleId, partitions, Why.PLACED, "");
  }

  /**
   * Through Spark's own shuffle.
   *
   * @param reason for people, in a coordinator's words if it is one's
   */
  public static ShuffleRoute local(int shuffleId, int partitions, Why why, String reason) {
    return new ShuffleRoute(shuffleId, partitions, why, reason);
  }

  public int shuffleId() {
    return shuffleId;
  }

  public int partitions() {
    return partitions;
  }

  public Why why() {
    return why;
  }

  /** For people; empty if the shuffle goes through Sluice. */
  public String reason() {
    return reason;
  }

  /** Whether it is Spark's own shuffle that serves it. */
  public boolean isLocal() {
    return why != Why.PLACED;
  }

  @Override
  public String toString() {
    String head = "shuffle " + shuffleId + " of " + partitions + " partitions: " + why.label();
    return isLocal() ? head + ", " + reason : head;
  }
}
