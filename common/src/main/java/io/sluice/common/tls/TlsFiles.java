package io.sluice.common.tls;

import java.nio.file.Path;
import java.util.Optional;

/** Where certificates and keys are. Immutable. */
public final class TlsFiles {
  private final Optional<Path> certificate;
  private final Optional<Path> key;
  private final Optional<Path> trust;

  /**
   * @param certificate the own one, followed by those that sign it; with {@code key} or neither
   * @param key the private key, PKCS #8 without a password
   * @param trust the authorities to believe; those of the Java runtime if there is none
   */
  public TlsFiles(Optional<Path> certificate, Optional<Path> key, Optional<Path> trust) {
    this.certificate = certificate;
    this.key = key;
    this.trust = trust;
  }

  Optional<Path> certificate() {
    return certificate;
  }

  Optional<Path> key() {
    return key;
  }

  Optional<Path> trust() {
    return trust;
  }
}
