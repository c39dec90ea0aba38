package org.apache.spark.shuffle.sluice.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Zstandard frames without checksum (the block has its CRC). Native contexts are made on need. */
final class ZstdBlockCodec implements BlockCodec {
  private final int level;
  private @Nullable ZstdCompressCtx compressor;
  private @Nullable ZstdDecompressCtx decompressor;
  // Spark's zstd-jni reads heap to heap or direct to direct only; compressed bytes are the fewer.
  private byte[] heapStored = new byte[0];

  ZstdBlockCodec(int level) {
    this.level = level;
  }

  @Override
  public int number() {
    return ZSTD;
  }

  @Override
  public int maxStoredLength(int rawLength) {
    return (int) Zstd.compressBound(rawLength);
  }

  @Override
  public int compress(ByteBuffer raw, int rawLength, ByteBuffer stored) {
    ZstdCompressCtx context = compressor;
    if (context == null) {
      context = new ZstdCompressCtx().setLevel(level).setChecksum(false);
      compressor = context;
    }
    return context.compressDirectByteBuffer(
        stored, 0, maxStoredLength(rawLength), raw, 0, rawLength);
  }

  @Override
  public void decompress(ByteBuffer stored, byte[] raw, int offset, int rawLength) {
    ZstdDecompressCtx context = decompressor;
    if (context == null) {
      context = new ZstdDecompressCtx();
      decompressor = context;
    }
    int storedLength = stored.remaining();
    if (heapStored.length < storedLength) {
      heapStored = new byte[Math.max(storedLength, 2 * heapStored.length)];
    }
    stored.duplicate().get(heapStored, 0, storedLength);
    int length;
    try {
      length = context.decompressByteArray(raw, offset, rawLength, heapStored, 0, storedLength);
    } catch (ZstdException e) {
      throw new SluiceException(ErrorCode.CORRUPT_BLOCK, "Zstandard cannot read the block", e);
    }
    if (length != rawLength) {
      throw new SluiceException(
          ErrorCode.CORRUPT_BLOCK, "Zstandard block has " + length + " bytes, not " + rawLength);
    }
  }

  @Override
  public void close() {
    if (compressor != null) {
      compressor.close();
      compressor = null;
    }
    if (decompressor != null) {
      decompressor.close();
      decompressor = null;
    }
  }
}
