package io.sluice.common.tls;

/**
 * How connections of a process are encrypted, and how often that came to nothing. Immutable but for
 * the material in it and the count.
 */
public final class Tls {
  private final TlsMaterial material;
  private final boolean clientCertificates;
  private final RefusedHandshakes refused = new RefusedHandshakes();

  /**
   * @param clientCertificates whether servers ask clients for a certificate as well, and end those
   *     that have none (mutual TLS)
   */
  public Tls(TlsMaterial material, boolean clientCertificates) {
    this.material = material;
    this.clientCertificates = clientCertificates;
  }

  public TlsMaterial material() {
    return material;
  }

  public boolean clientCertificates() {
    return clientCertificates;
  }

  /** For all ports of the process: each watches what it accepts. */
  public RefusedHandshakes refused() {
    return refused;
  }
}
