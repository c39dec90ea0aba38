package io.sluice.common.security;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;

/** Decrypts blocks of any attempts of an application ({@link SealedBlock}). Used by one thread. */
public final class BlockDecryption {
  /** Attempts whose keys are kept: deriving one takes some microseconds. */
  private static final int KEPT = 256;

  private final Cipher cipher = SealedBlock.cipher();
  private final BlockKeys keys;
  private final Map<Long, SecretKey> kept = new LinkedHashMap<>(16, 0.75f, true);
  private final byte[] header = new byte[16];
  private final byte[] nonce = new byte[SealedBlock.NONCE_BYTES];

  BlockDecryption(BlockKeys keys) {
    this.keys = keys;
  }

  /**
   * Decrypts from {@code stored}'s position to its limit, which then is its position.
   *
   * @param plain takes as many bytes less {@link SealedBlock#OVERHEAD}, at its position; not the
   *     same memory. What it has after a failure means nothing
   * @throws SluiceException CORRUPT_BLOCK if this is not what was sealed for that block with a key
   *     of this application
   */
  public void open(
      ByteBuffer stored,
      ByteBuffer plain,
      long attemptId,
      int partition,
      int mapIndex,
      int rawLength,
      int codec) {
    if (stored.remaining() < SealedBlock.OVERHEAD) {
      throw corrupt(mapIndex, partition, null);
    }
    stored.get(nonce);
    try {
      cipher.init(Cipher.DECRYPT_MODE, key(attemptId), SealedBlock.parameters(nonce));
      cipher.updateAAD(SealedBlock.header(header, partition, mapIndex, rawLength, codec));
      cipher.doFinal(stored, plain);
    } catch (AEADBadTagException e) {
      throw corrupt(mapIndex, partition, e);
    } catch (GeneralSecurityException e) {
      throw new SluiceException(ErrorCode.INTERNAL_ERROR, "a block cannot be decrypted", e);
    }
  }

  private SecretKey key(long attemptId) {
    SecretKey key = kept.get(attemptId);
    if (key == null) {
      key = keys.ofAttempt(attemptId);
      if (kept.size() == KEPT) {
        kept.remove(kept.keySet().iterator().next());
      }
      kept.put(attemptId, key);
    }
    return key;
  }

  private static SluiceException corrupt(
      int mapIndex, int partition, @Nullable AEADBadTagException cause) {
    return new SluiceException(
        ErrorCode.CORRUPT_BLOCK,
        "a block of map "
            + mapIndex
            + " in partition "
            + partition
            + " is not one that was encrypted with this application's key",
        cause);
  }
}
