package io.sluice.transport.session;

import io.sluice.common.id.ServerId;
import io.sluice.transport.ConnectionTimeouts;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What all connections of a client process have in common. Immutable. */
public final class ClientSettings {
  private final UUID process;
  private final ClientAuthenticator authenticator;
  private final ConnectionTimeouts timeouts;
  private final @Nullable ServerId server;

  /**
   * Of a client.
   *
   * @param process minted once per process
   */
  public ClientSettings(
      UUID process, ClientAuthenticator authenticator, ConnectionTimeouts timeouts) {
    this(process, authenticator, timeouts, null);
  }

  /**
   * @param server whom to say that one is, if this is a server that connects to another one
   */
  public ClientSettings(
      UUID process,
      ClientAuthenticator authenticator,
      ConnectionTimeouts timeouts,
      @Nullable ServerId server) {
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

  public ConnectionTimeouts timeouts() {
    return timeouts;
  }
}
