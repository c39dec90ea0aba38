package io.sluice.transport.session;

import io.sluice.common.id.ServerId;
import io.sluice.common.tls.Tls;
import io.sluice.transport.ConnectionTimeouts;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What all connections of a client process have in common. Immutable. */
public final class ClientSettings {
  private final UUID process;
  private final ClientAuthenticator authenticator;
  private final ConnectionTimeouts timeouts;
  private final Optional<Tls> tls;
  private final @Nullable ServerId server;

  /** Of a client, without TLS. */
  public ClientSettings(
      UUID process, ClientAuthenticator authenticator, ConnectionTimeouts timeouts) {
    this(process, authenticator, timeouts, Optional.empty());
  }

  /**
   * Of a client.
   *
   * @param process minted once per process
   * @param tls how connections are encrypted; empty if they are not
   */
  public ClientSettings(
      UUID process,
      ClientAuthenticator authenticator,
      ConnectionTimeouts timeouts,
      Optional<Tls> tls) {
    this(process, authenticator, timeouts, tls, null);
  }

  /**
   * @param server whom to say that one is, if this is a server that connects to another one
   */
  public ClientSettings(
      UUID process,
      ClientAuthenticator authenticator,
      ConnectionTimeouts timeouts,
      Optional<Tls> tls,
      @Nullable ServerId server) {
    this.tls = tls;
    this.server = server;
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

  /** The server that connects, or null for a client. */
  public @Nullable ServerId server() {
    return server;
  }

  public Optional<Tls> tls() {
    return tls;
  }

  public ConnectionTimeouts timeouts() {
    return timeouts;
  }
}
