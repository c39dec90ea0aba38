package io.sluice.mapreduce.block;

import io.sluice.client.MapOutput;
import io.sluice.common.block.BlockHeader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.util.Progressable;
import org.jspecify.annotations.Nullable;

/**
 * Pushes raw blocks, compressed by the job's codec where that makes them smaller. Hadoop's codecs
 * are streams without a bound of what they write, so blocks are compressed beside the frame and
 * copied into it.
 */
public final class BlockCompressor implements AutoCloseable {
  private final MapOutput output;
  private final @Nullable CompressionCodec codec;
  private final @Nullable Compressor compressor;
  private final Progressable progress;
  private final Bytes compressed = new Bytes();

  /**
   * @param output stays the caller's to finish and close
   * @param codec null to store all blocks as they are
   * @param progress told of each block: pushing a full sort buffer may take minutes
   */
  public BlockCompressor(
      MapOutput output,
      @Nullable CompressionCodec codec,
      Configuration conf,
      Progressable progress) {
    this.output = output;
    this.codec = codec;
    this.progress = progress;
    this.compressor = codec == null ? null : CodecPool.getCompressor(codec, conf);
  }

  /**
   * Pushes a block. Waits while too much is unacknowledged.
   *
   * @param flags LAST and CONTINUES, as {@link BlockHeader} has them
   */
  void push(int partition, byte[] raw, int length, int records, int flags) throws IOException {
    progress.progress();
    CompressionCodec by = codec;
    if (by != null && length > 0) {
      compress(by, raw, length);
      if (compressed.size() < length) {
        begin(partition, compressed.size()).put(compressed.array(), 0, compressed.size());
        output.endBlock(
            compressed.size(),
            length,
            records,
            flags | BlockHeader.codecFlags(BlockFormat.JOB_CODEC));
        return;
      }
    }
    begin(partition, length).put(raw, 0, length);
    output.endBlock(length, length, records, flags);
  }

  private void compress(CompressionCodec by, byte[] raw, int length) throws IOException {
    compressed.reset();
    if (compressor != null) {
      compressor.reset();
    }
    try (CompressionOutputStream stream =
        compressor == null
            ? by.createOutputStream(compressed)
            : by.createOutputStream(compressed, compressor)) {
      stream.write(raw, 0, length);
      stream.finish();
    }
  }

  private ByteBuffer begin(int partition, int length) throws InterruptedIOException {
    try {
      return output.beginBlock(partition, length);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** Keeps the interrupt for the thread's owner. */
  public static InterruptedIOException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    InterruptedIOException wrapped = new InterruptedIOException("interrupted while pushing");
    wrapped.initCause(cause);
    return wrapped;
  }

  @Override
  public void close() {
    CodecPool.returnCompressor(compressor);
  }

  /** Lets its array be read in place. */
  private static final class Bytes extends ByteArrayOutputStream {
    byte[] array() {
      return buf;
    }
  }
}
