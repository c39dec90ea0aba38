package io.sluice.common.tls;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads PEM (RFC 7468): certificates, and private keys in PKCS #8. */
final class PemText {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

  private PemText() {}

  /**
   * @throws GeneralSecurityException if there is none, or one that cannot be read
   */
  static List<X509Certificate> certificates(byte[] pem) throws GeneralSecurityException {
    List<X509Certificate> found;
    try {
      found =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(pem))
              .stream()
              .map(X509Certificate.class::cast)
              .collect(Collectors.toUnmodifiableList());
    } catch (CertificateException malformed) {
      // What Java says is of its parser's state.
      throw new GeneralSecurityException("what is in it is no certificate in PEM", malformed);
    }
    if (found.isEmpty()) {
      throw new GeneralSecurityException("there is no certificate in it");
    }
    return found;
  }

  /**
   * @param counterpart whose algorithm the key has
   * @throws GeneralSecurityException if there is none, or one that cannot be read
   */
  static PrivateKey privateKey(byte[] pem, PublicKey counterpart) throws GeneralSecurityException {
    return KeyFactory.getInstance(counterpart.getAlgorithm())
        .generatePrivate(new PKCS8EncodedKeySpec(encodedKey(pem)));
  }

  /**
   * That there is a key, of whatever algorithm.
   *
   * @throws GeneralSecurityException if there is none
   */
  static void requirePrivateKey(byte[] pem) throws GeneralSecurityException {
    encodedKey(pem);
  }

  private static byte[] encodedKey(byte[] pem) throws GeneralSecurityException {
    Matcher found = KEY.matcher(new String(pem, StandardCharsets.US_ASCII));
    if (!found.find()) {
      throw new GeneralSecurityException(
          "there is no 'BEGIN PRIVATE KEY' in it; convert other kinds with 'openssl pkcs8 -topk8"
              + " -nocrypt'");
    }
    try {
      return Base64.getMimeDecoder().decode(found.group(1));
    } catch (IllegalArgumentException malformed) {
      throw new GeneralSecurityException("the key in it is not base64", malformed);
    }
  }
}
