package io.sluice.transport;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.security.ClusterKey;
import io.sluice.common.security.Keys;
import io.sluice.common.security.Secret;
import io.sluice.common.tls.Tls;
import io.sluice.common.tls.TlsFiles;
import io.sluice.common.tls.TlsMaterial;
import io.sluice.transport.auth.Authentications;
import io.sluice.transport.auth.Credentials;
import io.sluice.transport.auth.ProofRequired;
import io.sluice.transport.session.ClientAuthenticator;
import io.sluice.transport.session.ClientSettings;
import io.sluice.transport.session.ServerAuthenticator;
import io.sluice.transport.session.ServerSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Both ends with secrets, certificates and mutual TLS. */
public final class SecuredEnds {
  private static final Path GIVEN = Path.of("../common/src/test/resources/tls");
  private static final ApplicationId APPLICATION = ApplicationId.of(4, 5);
  private static final Secret SECRET = Secret.of("the application's own secret, 32+");

  private SecuredEnds() {}

  /** Encryption with the certificate of a name in the test resources, or none. */
  public static Tls tls(Optional<String> name, String authority, boolean mutual) {
    return new Tls(
        TlsMaterial.open(
            new TlsFiles(
                name.map(own -> GIVEN.resolve(own + ".pem")),
                name.map(own -> GIVEN.resolve(own + ".key")),
                Optional.of(GIVEN.resolve(authority + ".pem")))),
        mutual);
  }

  /** The same settings, for whoever proves himself over mutual TLS. */
  public static ServerSettings server(ServerSettings plain) {
    return server(plain, tls(Optional.of("first"), "authority", true));
  }

  /** The same settings, for whoever proves himself over TLS. */
  public static ServerSettings server(ServerSettings plain, Tls tls) {
    ServerAuthenticator authenticator =
        new ProofRequired(
            application ->
                CompletableFuture.completedFuture(
                    Keys.ofApplication(application, SECRET).verifier()),
            ClusterKey.of(List.of(Secret.of(Secret.random()))),
            Authentications.IGNORED);
    return new ServerSettings(
        plain::identity,
        authenticator,
        plain.limits(),
        plain.timeouts(),
        plain.verifyCrc(),
        Optional.of(tls));
  }

  /** A client that proves itself, with a certificate of its own. */
  public static ClientSettings client() {
    return client(tls(Optional.of("second"), "authority", false));
  }

  /** A client that proves itself. */
  public static ClientSettings client(Tls tls) {
    ClientAuthenticator identity = Credentials.ofApplication(APPLICATION, SECRET);
    return new ClientSettings(
        new UUID(7, 8), identity, ConnectionTimeouts.defaults(), Optional.of(tls));
  }
}
