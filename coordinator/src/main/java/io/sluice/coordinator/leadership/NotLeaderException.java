package io.sluice.coordinator.leadership;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;

/** This coordinator does not lead; says who does, if that is known. */
public final class NotLeaderException extends SluiceException {
  private static final long serialVersionUID = 1;

  private final String leader;

  /**
   * @param leader host:port, empty if unknown
   */
  public NotLeaderException(String leader) {
    super(
        ErrorCode.NOT_LEADER, leader.isEmpty() ? "no leader is known" : "the leader is " + leader);
    this.leader = leader;
  }

  public String leader() {
    return leader;
  }
}
