package io.sluice.transport;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ServerId;

/** A member of a replica set that does not take blocks, and why. Immutable. */
public final class FailedReplica {
  private final ServerId member;
  private final ErrorCode why;

  public FailedReplica(ServerId member, ErrorCode why) {
    this.member = member;
    this.why = why;
  }

  public ServerId member() {
    return member;
  }

  public ErrorCode why() {
    return why;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FailedReplica
        && ((FailedReplica) other).member.equals(member)
        && ((FailedReplica) other).why == why;
  }

  @Override
  public int hashCode() {
    return member.hashCode() * 31 + why.hashCode();
  }

  @Override
  public String toString() {
    return member + ": " + why;
  }
}
