package io.sluice.common.security;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;

/** What an application, or the members of a cluster, share and nobody else knows. */
public final class Secret {
  /** A shorter one could be guessed: in letters of hexadecimal, 128 bits. */
  public static final int MIN_BYTES = 32;

  private static final char[] HEX = "0123456789abcdef".toCharArray();

  private final byte[] bytes;

  private Secret(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * A secret as people and configurations write it; every letter counts.
   *
   * @throws SluiceException INVALID_CONFIGURATION if it has fewer than {@link #MIN_BYTES} letters
   */
  public static Secret of(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length < MIN_BYTES) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          "a secret has " + bytes.length + " letters, at least " + MIN_BYTES + " are needed");
    }
    return new Secret(bytes);
  }

  /** 256 random bits, as hexadecimal text for {@link #of}. */
  public static String random() {
    byte[] bits = new byte[Digests.BYTES];
    new SecureRandom().nextBytes(bits);
    return hex(bits);
  }

  /**
   * A secret of its own for one use of another secret, which may be of any length; as {@link
   * #random}.
   */
  public static String derive(String from, String salt, String label) {
    return hex(
        Digests.hkdf(
            from.getBytes(StandardCharsets.UTF_8), salt.getBytes(StandardCharsets.UTF_8), label));
  }

  private static String hex(byte[] bits) {
    StringBuilder hex = new StringBuilder(2 * bits.length);
    for (byte b : bits) {
      hex.append(HEX[b >> 4 & 0xF]).append(HEX[b & 0xF]);
    }
    return hex.toString();
  }

  /**
   * @param salt tells users of one secret apart
   */
  byte[] derive(byte[] salt, String label) {
    return Digests.hkdf(bytes, salt, label);
  }

  @Override
  public String toString() {
    return "Secret";
  }
}
