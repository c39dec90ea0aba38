package io.sluice.common.tls;

import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.Date;
import java.util.List;

/** A certificate with those that sign it, and its key. */
final class Identity {
  private final PrivateKey key;
  private final List<X509Certificate> chain;

  private Identity(PrivateKey key, List<X509Certificate> chain) {
    this.key = key;
    this.chain = chain;
  }

  /**
   * Reads and checks them.
   *
   * @throws GeneralSecurityException if one cannot be used, or they do not belong together
   */
  static Identity of(byte[] certificatePem, byte[] keyPem, Date now)
      throws GeneralSecurityException {
    List<X509Certificate> chain = requireValid(certificatePem, now);
    X509Certificate own = chain.get(0);
    PrivateKey key = PemText.privateKey(keyPem, own.getPublicKey());
    requirePair(key, own);
    return new Identity(key, chain);
  }

  /**
   * The certificates, of which the first is to be shown.
   *
   * @throws GeneralSecurityException if they cannot be read, or the first is not valid now
   */
  static List<X509Certificate> requireValid(byte[] certificatePem, Date now)
      throws GeneralSecurityException {
    List<X509Certificate> chain = PemText.certificates(certificatePem);
    try {
      chain.get(0).checkValidity(now);
    } catch (CertificateExpiredException e) {
      throw new GeneralSecurityException("it has expired, " + e.getMessage(), e);
    } catch (CertificateNotYetValidException e) {
      throw new GeneralSecurityException("it is not valid yet, " + e.getMessage(), e);
    }
    return chain;
  }

  private static void requirePair(PrivateKey key, X509Certificate certificate)
      throws GeneralSecurityException {
    String algorithm = key.getAlgorithm();
    if (!algorithm.equals("RSA") && !algorithm.equals("EC")) {
      throw new GeneralSecurityException("keys of " + algorithm + " are not supported");
    }
    Signature signature =
        Signature.getInstance(algorithm.equals("RSA") ? "SHA256withRSA" : "SHA256withECDSA");
    byte[] anything = new byte[32];
    new SecureRandom().nextBytes(anything);
    signature.initSign(key);
    signature.update(anything);
    byte[] signed = signature.sign();
    signature.initVerify(certificate.getPublicKey());
    signature.update(anything);
    if (!signature.verify(signed)) {
      throw new GeneralSecurityException("the key is not the one of the certificate");
    }
  }

  PrivateKey key() {
    return key;
  }

  /** When the certificate ends, in milliseconds since 1970. */
  long endMillis() {
    return chain.get(0).getNotAfter().toInstant().toEpochMilli();
  }

  X509Certificate[] chain() {
    return chain.toArray(new X509Certificate[0]);
  }
}
