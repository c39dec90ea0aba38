package io.sluice.server.fetch;

import io.sluice.common.block.BlockHeader;
import java.nio.ByteBuffer;

/** Counts the blocks in a stream of bytes that arrives in pieces of any size. */
final class BlockCounter {
  private final ByteBuffer header = ByteBuffer.allocate(BlockHeader.LENGTH);
  private long payloadLeft;
  private long blocks;

  /** Looks at bytes that follow those of the call before. */
  void add(ByteBuffer bytes, int offset, int length) {
    int at = offset;
    int end = offset + length;
    while (at < end) {
      if (payloadLeft > 0) {
        int skipped = (int) Math.min(payloadLeft, end - at);
        at += skipped;
        payloadLeft -= skipped;
      } else {
        int part = Math.min(header.remaining(), end - at);
        header.put(header.position(), bytes, at, part);
        header.position(header.position() + part);
        at += part;
        if (!header.hasRemaining()) {
          blocks++;
          payloadLeft = BlockHeader.storedLength(header, 0);
          header.clear();
        }
      }
    }
  }

  /** Blocks whose headers were seen. */
  long blocks() {
    return blocks;
  }
}
