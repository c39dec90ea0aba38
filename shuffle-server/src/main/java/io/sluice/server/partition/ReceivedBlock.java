package io.sluice.server.partition;

import io.sluice.server.memory.Chunk;
import java.nio.ByteBuffer;

/**
 * A block that arrived in parts, whole by now, in chunks of its own. Belongs to one thread until it
 * is linked into a partition, which then owns the chunks.
 *
 * @param chunks all but the last full
 * @param length header and payload, in bytes
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ReceivedBlock(Chunk[] chunks, int mapIndex, int length) {
  /** Gives the memory back, for a block that found no home. */
  public void release() {
    for (Chunk chunk : chunks) {
      chunk.release();
    }
  }

  /** Leases all of it. */
  void lease(LeasedBlocks into) {
    int left = length;
    for (Chunk chunk : chunks) {
      int part = Math.min(left, chunk.capacity());
      into.add(chunk, 0, part);
      left -= part;
    }
  }

  void copyTo(ByteBuffer target) {
    int left = length;
    for (Chunk chunk : chunks) {
      int part = Math.min(left, chunk.capacity());
      chunk.copyTo(0, target, part);
      left -= part;
    }
  }
}
