package io.sluice.transport.tls;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.Certificate;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * What both ends of an encrypted channel see alike, and someone between two channels does not: the
 * hash of the server's certificate, as {@code tls-server-end-point} of RFC 5929, always by SHA-256.
 */
public final class ChannelBinding {
  private ChannelBinding() {}

  /** At the server; empty without a session. */
  public static byte[] atServer(@Nullable SSLSession session) {
    if (session == null) {
      return new byte[0];
    }
    Certificate[] chain = session.getLocalCertificates();
    return hash(chain == null || chain.length == 0 ? null : chain[0]);
  }

  /** At the client; empty without a session. */
  public static byte[] atClient(@Nullable SSLSession session) {
    if (session == null) {
      return new byte[0];
    }
    try {
      return hash(session.getPeerCertificates()[0]);
    } catch (SSLPeerUnverifiedException e) {
      throw failed(e);
    }
  }

  private static byte[] hash(@Nullable Certificate certificate) {
    if (certificate == null) {
      throw failed(new GeneralSecurityException("the server has no certificate"));
    }
    try {
      return MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
    } catch (GeneralSecurityException e) {
      throw failed(e);
    }
  }

  private static SluiceException failed(Exception cause) {
    return new SluiceException(
        ErrorCode.AUTHENTICATION_FAILED, "the channel cannot be bound to: " + cause, cause);
  }
}
