package io.sluice.client;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.security.Keys;
import io.sluice.common.security.Secret;
import io.sluice.common.tls.Tls;
import io.sluice.transport.auth.Credentials;
import io.sluice.transport.session.ClientAuthenticator;
import java.util.Optional;

/** As whom a client talks to servers and coordinators, and whether it is encrypted. Immutable. */
public final class ClientSecurity {
  private static final ClientSecurity OFF =
      new ClientSecurity(ClientAuthenticator.none(), Optional.empty(), Optional.empty());

  private final ClientAuthenticator identity;
  private final Optional<Keys> keys;
  private final Optional<Tls> tls;

  private ClientSecurity(ClientAuthenticator identity, Optional<Keys> keys, Optional<Tls> tls) {
    this.identity = identity;
    this.keys = keys;
    this.tls = tls;
  }

  /** Proves nothing, and encrypts nothing. */
  public static ClientSecurity off() {
    return OFF;
  }

  /** Proves nothing. */
  public static ClientSecurity encrypted(Tls tls) {
    return new ClientSecurity(ClientAuthenticator.none(), Optional.empty(), Optional.of(tls));
  }

  /**
   * Proves to be an application.
   *
   * @param tls empty for connections that are not encrypted
   */
  public static ClientSecurity of(ApplicationId application, Secret secret, Optional<Tls> tls) {
    return new ClientSecurity(
        Credentials.ofApplication(application, secret),
        Optional.of(Keys.ofApplication(application, secret)),
        tls);
  }

  /** What connections to servers are opened with. */
  public ClientAuthenticator identity() {
    return identity;
  }

  /** What calls to coordinators are made with; empty if nothing is to be proved. */
  public Optional<Keys> keys() {
    return keys;
  }

  /** How connections are encrypted; empty if they are not. */
  public Optional<Tls> tls() {
    return tls;
  }
}
