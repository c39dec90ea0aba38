package io.sluice.common.tls;

/** How connections of a process are encrypted. Immutable but for the material in it. */
public final class Tls {
  private final TlsMaterial material;
  private final boolean clientCertificates;

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
}
