package io.sluice.server.replication;

/** When a block counts as stored by its replica set. */
public enum AckRule {
  /** Every member holds it. */
  ALL,
  /** More than half of the members hold it. */
  MAJORITY;

  /**
   * How many of the other members must hold a block that this server holds.
   *
   * @param others at least 1
   */
  int needed(int others) {
    return switch (this) {
      case ALL -> others;
      case MAJORITY -> (others + 1) / 2;
    };
  }
}
