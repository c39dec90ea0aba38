package org.apache.spark.shuffle.sluice.codec;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/** Raw LZ4 blocks, by the native library that Spark ships where it loads. Stateless. */
final class Lz4BlockCodec implements BlockCodec {
  private final LZ4Compressor compressor;
  private final LZ4SafeDecompressor decompressor;

  Lz4BlockCodec() {
    LZ4Factory factory = LZ4Factory.fastestInstance();
    this.compressor = factory.fastCompressor();
    this.decompressor = factory.safeDecompressor();
  }

  @Override
  public int number() {
    return LZ4;
  }

  @Override
  public int maxStoredLength(int rawLength) {
    return compressor.maxCompressedLength(rawLength);
  }

  @Override
  public int compress(ByteBuffer raw, int rawLength, ByteBuffer stored) {
    return compressor.compress(raw, 0, rawLength, stored, 0, maxStoredLength(rawLength));
  }

  @Override
  public void decompress(ByteBuffer stored, byte[] raw, int offset, int rawLength) {
    int length;
    try {
      length =
          decompressor.decompress(
              stored,
              stored.position(),
              stored.remaining(),
              ByteBuffer.wrap(raw),
              offset,
              rawLength);
    } catch (LZ4Exception e) {
      throw new SluiceException(ErrorCode.CORRUPT_BLOCK, "LZ4 cannot read the block", e);
    }
    if (length != rawLength) {
      throw new SluiceException(
          ErrorCode.CORRUPT_BLOCK, "LZ4 block has " + length + " bytes, not " + rawLength);
    }
  }

  @Override
  public void close() {}
}
