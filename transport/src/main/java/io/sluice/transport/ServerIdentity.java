package io.sluice.transport;

import io.sluice.common.id.ServerId;

/** Who a server says it is in the handshake. Immutable. */
public final class ServerIdentity {
  private final ServerId id;
  private final long incarnation;

  public ServerIdentity(ServerId id, long incarnation) {
    this.id = id;
    this.incarnation = incarnation;
  }

  public ServerId id() {
    return id;
  }

  /** Grows at each start. */
  public long incarnation() {
    return incarnation;
  }

  @Override
  public String toString() {
    return id + "@" + incarnation;
  }
}
