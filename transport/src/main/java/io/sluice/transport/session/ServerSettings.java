package io.sluice.transport.session;

import io.sluice.common.log.FewLines;
import io.sluice.common.time.Clock;
import io.sluice.common.tls.Tls;
import io.sluice.transport.ConnectionLimits;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.ServerIdentity;
import java.util.Optional;
import java.util.function.Supplier;

/** What all connections of a server have in common. Thread-safe. */
public final class ServerSettings {
  private final Supplier<ServerIdentity> identity;
  private final ServerAuthenticator authenticator;
  private final ConnectionLimits limits;
  private final ConnectionTimeouts timeouts;
  private final boolean verifyCrc;
  private final Optional<Tls> tls;
  private final FewLines endings = new FewLines(Clock.system());

  /** Without TLS. */
  public ServerSettings(
      Supplier<ServerIdentity> identity,
      ServerAuthenticator authenticator,
      ConnectionLimits limits,
      ConnectionTimeouts timeouts,
      boolean verifyCrc) {
    this(identity, authenticator, limits, timeouts, verifyCrc, Optional.empty());
  }

  /**
   * @param identity asked for each handshake: a server that was fenced takes a new incarnation
   * @param verifyCrc whether the CRC of each block is checked on receipt
   * @param tls how connections are encrypted; empty if they are not
   */
  public ServerSettings(
      Supplier<ServerIdentity> identity,
      ServerAuthenticator authenticator,
      ConnectionLimits limits,
      ConnectionTimeouts timeouts,
      boolean verifyCrc,
      Optional<Tls> tls) {
    this.tls = tls;
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

  public Optional<Tls> tls() {
    return tls;
  }

  /** What the log hears of connections that peers made the server end. */
  FewLines endings() {
    return endings;
  }

  public boolean verifyCrc() {
    return verifyCrc;
  }
}
