package io.sluice.transport.session;

import io.sluice.transport.ConnectionLimits;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.ServerIdentity;
import java.util.function.Supplier;

/** What all connections of a server have in common. Immutable. */
public final class ServerSettings {
  private final Supplier<ServerIdentity> identity;
  private final ServerAuthenticator authenticator;
  private final ConnectionLimits limits;
  private final ConnectionTimeouts timeouts;
  private final boolean verifyCrc;

  /**
   * @param identity asked for each handshake: a server that was fenced takes a new incarnation
   * @param verifyCrc whether the CRC of each block is checked on receipt
   */
  public ServerSettings(
      Supplier<ServerIdentity> identity,
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

  /** Who this server is now. */
  public ServerIdentity identity() {
    return identity.get();
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
