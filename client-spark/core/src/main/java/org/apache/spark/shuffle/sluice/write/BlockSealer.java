package org.apache.spark.shuffle.sluice.write;

import io.sluice.common.security.BlockEncryption;
import io.sluice.common.security.SealedBlock;
import java.nio.ByteBuffer;

/** Encrypts the blocks of one map attempt on their way into frames. Used by one thread. */
final class BlockSealer {
  private final BlockEncryption encryption;
  private final int mapIndex;

  BlockSealer(BlockEncryption encryption, int mapIndex) {
    this.encryption = encryption;
    this.mapIndex = mapIndex;
  }

  /** Stored bytes of a block of so many, in bytes. */
  static int sealedLength(int length) {
    return Math.addExact(length, SealedBlock.OVERHEAD);
  }

  /**
   * Encrypts {@code plain[0, length)} into {@code room}.
   *
   * @param plain comes back cleared
   * @param codec what those bytes were compressed with
   */
  void seal(ByteBuffer plain, int length, ByteBuffer room, int partition, int raw, int codec) {
    plain.position(0).limit(length);
    encryption.seal(plain, room, partition, mapIndex, raw, codec);
    plain.clear();
  }
}
