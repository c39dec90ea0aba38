package io.sluice.common.security;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;

/**
 * The form of an encrypted block's stored bytes: a nonce of 12 bytes, AES-GCM's text of the same
 * length as what went in, its tag of 16 bytes (NIST SP 800-38D). What the block's header says of
 * place, length and codec is authenticated with it.
 */
public final class SealedBlock {
  /** By how many bytes a block grows. */
  public static final int OVERHEAD = 12 + 16;

  static final int NONCE_BYTES = 12;
  static final int TAG_BYTES = 16;

  private SealedBlock() {}

  static Cipher cipher() {
    try {
      return Cipher.getInstance("AES/GCM/NoPadding");
    } catch (GeneralSecurityException missing) {
      throw new AssertionError("every Java runtime has AES-GCM", missing);
    }
  }

  static GCMParameterSpec parameters(byte[] nonce) {
    return new GCMParameterSpec(8 * TAG_BYTES, nonce);
  }

  /** Fills {@code into}, of 16 bytes, with what is authenticated beside the text. */
  static byte[] header(byte[] into, int partition, int mapIndex, int rawLength, int codec) {
    ByteBuffer.wrap(into).putInt(partition).putInt(mapIndex).putInt(rawLength).putInt(codec);
    return into;
  }
}
