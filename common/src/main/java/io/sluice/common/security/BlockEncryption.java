package io.sluice.common.security;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;

/** Encrypts the blocks of one map attempt ({@link SealedBlock}). Used by one thread. */
public final class BlockEncryption {
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Cipher cipher = SealedBlock.cipher();
  private final SecretKey key;
  private final byte[] header = new byte[16];
  private final byte[] nonce = new byte[SealedBlock.NONCE_BYTES];
  private long blocks;

  BlockEncryption(SecretKey key) {
    this.key = key;
    // The rest is a counter. These four bytes keep nonces apart even if an engine should ever hand
    // out an attempt's number twice.
    byte[] random = new byte[4];
    RANDOM.nextBytes(random);
    ByteBuffer.wrap(nonce).put(random);
  }

  /**
   * Encrypts from {@code plain}'s position to its limit, which then is its position.
   *
   * @param stored takes that many bytes and {@link SealedBlock#OVERHEAD} more, at its position; not
   *     the same memory
   * @param codec of what is encrypted, as the block's flags will have it
   */
  public void seal(
      ByteBuffer plain, ByteBuffer stored, int partition, int mapIndex, int rawLength, int codec) {
    ByteBuffer.wrap(nonce).putLong(4, blocks++);
    try {
      cipher.init(Cipher.ENCRYPT_MODE, key, SealedBlock.parameters(nonce));
      cipher.updateAAD(SealedBlock.header(header, partition, mapIndex, rawLength, codec));
      stored.put(nonce);
      cipher.doFinal(plain, stored);
    } catch (GeneralSecurityException impossible) {
      throw new AssertionError("encrypting has no bad input", impossible);
    }
  }
}
