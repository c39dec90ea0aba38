package org.apache.spark.shuffle.sluice.codec;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.apache.spark.io.CompressionCodec;
import org.xerial.snappy.SnappyError;

/**
 * Any codec that Spark knows only as a stream (Snappy, LZF, the user's own): one stream per block.
 * Costs copies that LZ4 and Zstandard do not.
 */
final class StreamBlockCodec implements BlockCodec {
  private final int number;
  private final CompressionCodec codec;
  private final ByteArrayOutputStream compressed = new ByteArrayOutputStream();
  private byte[] heapRaw = new byte[0];

  StreamBlockCodec(int number, CompressionCodec codec) {
    this.number = number;
    this.codec = codec;
  }

  @Override
  public int number() {
    return number;
  }

  /** A guess that streams keep; {@link #compress} answers longer output as incompressible. */
  @Override
  public int maxStoredLength(int rawLength) {
    return rawLength;
  }

  @Override
  public int compress(ByteBuffer raw, int rawLength, ByteBuffer stored) {
    if (heapRaw.length < rawLength) {
      heapRaw = new byte[Math.max(rawLength, 2 * heapRaw.length)];
    }
    ByteBuffer source = raw.duplicate();
    source.clear();
    source.get(heapRaw, 0, rawLength);
    compressed.reset();
    try (OutputStream out = codec.compressedOutputStream(compressed)) {
      out.write(heapRaw, 0, rawLength);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (compressed.size() >= rawLength) {
      return rawLength;
    }
    ByteBuffer target = stored.duplicate();
    target.clear();
    target.put(compressed.toByteArray());
    return compressed.size();
  }

  @Override
  public void decompress(ByteBuffer stored, byte[] raw, int offset, int rawLength) {
    byte[] bytes = new byte[stored.remaining()];
    stored.duplicate().get(bytes);
    int length;
    try (InputStream in = codec.compressedInputStream(new ByteArrayInputStream(bytes))) {
      length = in.readNBytes(raw, offset, rawLength);
      if (length == rawLength && in.read() >= 0) {
        length++;
      }
    } catch (IOException | RuntimeException | SnappyError e) {
      // Damage is also an index out of bounds to some codecs, and an Error to Snappy.
      throw new SluiceException(ErrorCode.CORRUPT_BLOCK, codec + " cannot read the block", e);
    }
    if (length != rawLength) {
      throw new SluiceException(
          ErrorCode.CORRUPT_BLOCK, codec + " block does not have " + rawLength + " bytes");
    }
  }

  @Override
  public void close() {}
}
