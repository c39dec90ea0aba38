package io.sluice.common.security;

import java.util.Arrays;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * Keys for the blocks of one application, which servers store and never read. Each map attempt has
 * one of its own, derived by HKDF-SHA-256, so that a counter is enough for nonces never to be used
 * twice. Immutable.
 */
public final class BlockKeys {
  static final String ALGORITHM = "AES";

  private final byte[] key;

  private BlockKeys(byte[] key) {
    this.key = key;
  }

  /**
   * @param key what the engine gives to all tasks of an application and to nobody else: 16, 24 or
   *     32 bytes; copied
   */
  public static BlockKeys of(byte[] key) {
    if (key.length != 16 && key.length != 24 && key.length != 32) {
      throw new IllegalArgumentException("AES has no keys of " + 8 * key.length + " bits");
    }
    return new BlockKeys(key.clone());
  }

  /**
   * For the blocks of one attempt; to be made once for each.
   *
   * @param attemptId unique in the application
   */
  public BlockEncryption encryption(long attemptId) {
    return new BlockEncryption(ofAttempt(attemptId));
  }

  /** For the blocks of any attempts. */
  public BlockDecryption decryption() {
    return new BlockDecryption(this);
  }

  SecretKey ofAttempt(long attemptId) {
    byte[] derived = Digests.hkdf(key, new byte[0], "sluice blocks of attempt " + attemptId);
    return new SecretKeySpec(Arrays.copyOf(derived, key.length), ALGORITHM);
  }

  @Override
  public String toString() {
    return "BlockKeys";
  }
}
