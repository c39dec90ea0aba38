package org.apache.spark.shuffle.sluice.read;

import java.io.IOException;
import java.io.InputStream;

/** All pieces as one stream, for serializers whose streams may be joined. Used by one thread. */
final class BlockInputStream extends InputStream {
  private final RawBlocks blocks;
  private byte[] bytes = new byte[0];
  private int position;
  private int limit;

  BlockInputStream(RawBlocks blocks) {
    this.blocks = blocks;
  }

  @Override
  public int read() throws IOException {
    return position < limit || advance() ? bytes[position++] & 0xFF : -1;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (position == limit && !advance()) {
      return -1;
    }
    int count = Math.min(length, limit - position);
    System.arraycopy(bytes, position, target, offset, count);
    position += count;
    return count;
  }

  @Override
  public int available() {
    return limit - position;
  }

  private boolean advance() throws IOException {
    // What was read stays read, also if this fails and somebody reads on.
    position = 0;
    limit = 0;
    Piece piece = blocks.next();
    if (piece == null) {
      return false;
    }
    bytes = piece.bytes();
    limit = piece.length();
    return true;
  }
}
