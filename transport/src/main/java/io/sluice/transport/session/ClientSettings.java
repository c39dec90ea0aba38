package io.sluice.transport.session;

import io.sluice.common.tls.Tls;
import io.sluice.transport.ConnectionTimeouts;
import java.util.Optional;
import java.util.UUID;

/** What all connections of a client process have in common. Immutable. */
public final class ClientSettings {
  private final UUID process;
  private final ClientAuthenticator authenticator;
  private final ConnectionTimeouts timeouts;
  private final Optional<Tls> tls;

  /** Without TLS. */
  public ClientSettings(
      UUID process, ClientAuthenticator authenticator, ConnectionTimeouts timeouts) {
    this(process, authenticator, timeouts, Optional.empty());
  }

  /**
   * @param process minted once per process
   * @param tls how connections are encrypted; empty if they are not
   */
  public ClientSettings(
      UUID process,
      ClientAuthenticator authenticator,
      ConnectionTimeouts timeouts,
      Optional<Tls> tls) {
    this.tls = tls;
    this.process = process;
    this.authenticator = authenticator;
    this.timeouts = timeouts;
  }

  public UUID process() {
    return process;
  }

  public ClientAuthenticator authenticator() {
    return authenticator;
  }

  public Optional<Tls> tls() {
    return tls;
  }

  public ConnectionTimeouts timeouts() {
    return timeouts;
  }
}
