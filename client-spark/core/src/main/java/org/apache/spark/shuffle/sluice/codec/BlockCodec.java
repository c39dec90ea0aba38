package org.apache.spark.shuffle.sluice.codec;

import java.nio.ByteBuffer;

/**
 * Compresses whole blocks. Used by one thread at a time, closed by its maker. The number is wire
 * format (bits 4–7 of a block's flags): a reader needs nothing else to find the codec again.
 */
public interface BlockCodec extends AutoCloseable {
  int NONE = 0;
  int LZ4 = 1;
  int ZSTD = 2;
  int SNAPPY = 3;
  int LZF = 4;

  /** A codec class of the user's own, named by {@code spark.io.compression.codec}. */
  int CUSTOM = 15;

  /** Exclusive bound of codec numbers. */
  int LIMIT = 16;

  int number();

  /** Room that {@link #compress} may need for so many raw bytes, in bytes. */
  int maxStoredLength(int rawLength);

  /**
   * Compresses {@code raw[0, rawLength)} into {@code stored}, from its position 0 on.
   *
   * @param raw direct; position and limit are ignored and left alone
   * @param stored direct, with at least {@link #maxStoredLength} bytes; position and limit as well
   * @return the stored length in bytes
   */
  int compress(ByteBuffer raw, int rawLength, ByteBuffer stored);

  /**
   * Fills {@code raw[offset, offset + rawLength)}.
   *
   * @param stored from position to limit; direct or heap
   * @throws io.sluice.common.error.SluiceException CORRUPT_BLOCK if the bytes are not what a block
   *     of that raw length compresses to
   */
  void decompress(ByteBuffer stored, byte[] raw, int offset, int rawLength);

  /** Frees native state. Never throws. */
  @Override
  void close();
}
