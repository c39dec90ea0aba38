package org.apache.spark.shuffle.sluice.codec;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Turns stored bytes into raw ones, whatever codec wrote them. Used by one thread. */
public final class BlockDecoder implements AutoCloseable {
  private final BlockCodecs codecs;
  private final String writersCodec;
  private final @Nullable BlockCodec[] byNumber = new BlockCodec[BlockCodec.LIMIT];

  /**
   * @param writersCodec name of the codec that the shuffle's writers were told to use
   */
  public BlockDecoder(BlockCodecs codecs, String writersCodec) {
    this.codecs = codecs;
    this.writersCodec = writersCodec;
  }

  /**
   * Fills {@code raw[offset, offset + rawLength)}.
   *
   * @param stored from position to limit, left unchanged
   * @throws SluiceException CORRUPT_BLOCK if the stored bytes do not decompress to that length
   */
  public void decode(int codec, ByteBuffer stored, byte[] raw, int offset, int rawLength) {
    if (codec != BlockCodec.NONE) {
      codec(codec).decompress(stored, raw, offset, rawLength);
      return;
    }
    if (stored.remaining() != rawLength) {
      throw new SluiceException(
          ErrorCode.CORRUPT_BLOCK,
          "an uncompressed block has " + stored.remaining() + " bytes, not " + rawLength);
    }
    int position = stored.position();
    stored.get(raw, offset, rawLength);
    stored.position(position);
  }

  private BlockCodec codec(int number) {
    BlockCodec codec = byNumber[number];
    if (codec == null) {
      codec = codecs.byNumber(number, writersCodec);
      byNumber[number] = codec;
    }
    return codec;
  }

  @Override
  public void close() {
    for (int number = 0; number < byNumber.length; number++) {
      BlockCodec codec = byNumber[number];
      if (codec != null) {
        byNumber[number] = null;
        codec.close();
      }
    }
  }
}
