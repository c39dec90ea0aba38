package io.sluice.transport.session;

import io.sluice.transport.ConnectionLimits;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.ServerIdentity;

/** What all connections of a server have in common. Immutable. */
public final class ServerSettings {
  private final ServerIdentity identity;
  private final ServerAuthenticator authenticator;
  private final ConnectionLimits limits;
  private final ConnectionTimeouts timeouts;
  private final boolean verifyCrc;

  /**
   * @param verifyCrc whether the CRC of each block is checked on receipt
   */
  public ServerSettings(
      ServerIdentity identity,
      ServerAuthenticator authenticator,
      ConnectionLimits limits,
      ConnectionTimeouts timeouts,
      boolean verifyCrc) {
    this.identity = identity;
    this.authenticator = authenticator;
    this.limits = limits;
    this.timeouts = timeouts;
    this.verifyCrc = verifyCrc;
  }

  public ServerIdentity identity() {
    return identity;
  }

  public ServerAuthenticator authenticator() {
    return authenticator;
  }

  public ConnectionLimits limits() {
    return limits;
  }

  public ConnectionTimeouts timeouts() {
    return timeouts;
  }

  public boolean verifyCrc() {
    return verifyCrc;
  }
}
