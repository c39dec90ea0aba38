package io.sluice.server;

import io.sluice.common.security.SecurityConfig;
import io.sluice.common.tls.Tls;
import io.sluice.server.metrics.ServerStats;
import io.sluice.server.security.VerifierDirectory;
import io.sluice.transport.auth.ProofRequired;
import io.sluice.transport.session.ServerAuthenticator;
import java.util.Optional;

/**
 * Whom a server lets in.
 *
 * @param tls how their connections are encrypted; empty if they are not
 * @param verifiers what applications prove themselves by; empty where everyone is believed
 */
record Admissions(
    ServerAuthenticator authenticator, Optional<VerifierDirectory> verifiers, Optional<Tls> tls) {

  /**
   * @param maxConnections of the server: as many may wait to become known
   */
  static Admissions of(SecurityConfig security, int maxConnections, ServerStats stats) {
    return security
        .clusterKey()
        .map(
            key -> {
              VerifierDirectory verifiers = new VerifierDirectory(maxConnections);
              ServerAuthenticator authenticator =
                  new ProofRequired(verifiers, key, stats.admissions());
              return new Admissions(authenticator, Optional.of(verifiers), security.tls());
            })
        .orElseGet(
            () -> new Admissions(ServerAuthenticator.none(), Optional.empty(), security.tls()));
  }
}
