package io.sluice.transport.session;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.frame.Hello;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Random;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** A scheme that challenges, to show that the seam carries one: HMAC-SHA256 of a nonce. */
final class HmacAuthentication implements ServerAuthenticator, ClientAuthenticator {
  static final int SCHEME = 99;

  private final byte[] secret;

  HmacAuthentication(String secret) {
    this.secret = secret.getBytes(StandardCharsets.UTF_8);
  }

  private byte[] sign(byte[] nonce) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret, "HmacSHA256"));
      return mac.doFinal(nonce);
    } catch (GeneralSecurityException missing) {
      throw new AssertionError(missing);
    }
  }

  @Override
  public int scheme() {
    return SCHEME;
  }

  @Override
  public byte[] principal() {
    return "someone".getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public byte[] respond(byte[] challenge) {
    return sign(challenge);
  }

  @Override
  public Exchange begin(Hello hello) {
    assertPrincipal(hello);
    byte[] nonce = new byte[32];
    new Random(42).nextBytes(nonce);
    return new Exchange() {
      private boolean proven;

      @Override
      public byte @Nullable [] challenge() {
        return proven ? null : nonce.clone();
      }

      @Override
      public void answer(byte[] response) {
        if (!MessageDigest.isEqual(response, sign(nonce))) {
          throw new SluiceException(ErrorCode.AUTHENTICATION_FAILED, "wrong proof");
        }
        proven = true;
      }
    };
  }

  private static void assertPrincipal(Hello hello) {
    if (hello.principal().length == 0) {
      throw new SluiceException(ErrorCode.AUTHENTICATION_FAILED, "nobody");
    }
  }
}
