package io.sluice.mapreduce.block;

import io.sluice.client.BlockReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.Decompressor;
import org.jspecify.annotations.Nullable;

/** Raw bytes of blocks. */
final class BlockDecoder implements AutoCloseable {
  private final @Nullable CompressionCodec codec;
  private final @Nullable Decompressor decompressor;

  /**
   * @param codec the job's for map outputs; null if it has none
   */
  BlockDecoder(@Nullable CompressionCodec codec) {
    this.codec = codec;
    this.decompressor = codec == null ? null : CodecPool.getDecompressor(codec);
  }

  /** Writes a block's raw bytes to a place that has room for them. */
  void decode(BlockReader.Block block, byte[] to, int offset) throws IOException {
    ByteBuffer stored = block.payload().duplicate();
    int length = block.rawLength();
    if (block.codec() == 0) {
      stored.get(to, offset, length);
      return;
    }
    CompressionCodec by = codec;
    if (by == null || block.codec() != BlockFormat.JOB_CODEC) {
      throw new IOException(
          "a block is compressed by codec " + block.codec() + ", which this task does not have");
    }
    if (decompressor != null) {
      decompressor.reset();
    }
    InputStream bytes = new Stored(stored);
    try (InputStream raw =
        decompressor == null
            ? by.createInputStream(bytes)
            : by.createInputStream(bytes, decompressor)) {
      int done = 0;
      while (done < length) {
        int read = raw.read(to, offset + done, length - done);
        if (read < 0) {
          throw new EOFException("a block has " + done + " of " + length + " bytes");
        }
        done += read;
      }
    }
  }

  @Override
  public void close() {
    CodecPool.returnDecompressor(decompressor);
  }

  private static final class Stored extends InputStream {
    private final ByteBuffer bytes;

    Stored(ByteBuffer bytes) {
      this.bytes = bytes;
    }

    @Override
    public int read() {
      return bytes.hasRemaining() ? bytes.get() & 0xFF : -1;
    }

    @Override
    public int read(byte[] to, int offset, int length) {
      if (length == 0) {
        return 0;
      }
      int count = Math.min(length, bytes.remaining());
      if (count == 0) {
        return -1;
      }
      bytes.get(to, offset, count);
      return count;
    }

    @Override
    public int available() {
      return bytes.remaining();
    }
  }
}
