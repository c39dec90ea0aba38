package io.sluice.transport.session;

import io.sluice.transport.ConnectionTimeouts;
import java.util.UUID;

/** What all connections of a client process have in common. Immutable. */
public final class ClientSettings {
  private final UUID process;
  private final ClientAuthenticator authenticator;
  private final ConnectionTimeouts timeouts;

  /**
   * @param process minted once per process
   */
  public ClientSettings(
      UUID process, ClientAuthenticator authenticator, ConnectionTimeouts timeouts) {
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

  public ConnectionTimeouts timeouts() {
    return timeouts;
  }
}
