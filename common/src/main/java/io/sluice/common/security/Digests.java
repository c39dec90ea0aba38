package io.sluice.common.security;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** SHA-256, HMAC-SHA-256 (RFC 2104) and HKDF-SHA-256 (RFC 5869). */
final class Digests {
  /** Bytes of each result. */
  static final int BYTES = 32;

  private static final String HMAC = "HmacSHA256";

  private Digests() {}

  static byte[] sha256(byte[] input) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(input);
    } catch (GeneralSecurityException missing) {
      throw new AssertionError("every Java runtime has SHA-256", missing);
    }
  }

  static byte[] hmac(byte[] key, byte[] input) {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(new SecretKeySpec(key, HMAC));
      return mac.doFinal(input);
    } catch (GeneralSecurityException missing) {
      throw new AssertionError("every Java runtime has " + HMAC, missing);
    }
  }

  /** The first 32 bytes that HKDF makes of a key. */
  static byte[] hkdf(byte[] key, byte[] salt, String label) {
    byte[] extracted = hmac(salt.length == 0 ? new byte[BYTES] : salt, key);
    byte[] info = label.getBytes(StandardCharsets.UTF_8);
    byte[] block = Arrays.copyOf(info, info.length + 1);
    block[info.length] = 1;
    return hmac(extracted, block);
  }

  static byte[] xor(byte[] a, byte[] b) {
    byte[] mixed = new byte[BYTES];
    for (int i = 0; i < BYTES; i++) {
      mixed[i] = (byte) (a[i] ^ b[i]);
    }
    return mixed;
  }
}
