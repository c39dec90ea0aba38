package io.sluice.client.fetch;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Blocks that share a record with a neighbour, held until the whole chain is here, so that it can
 * be delivered back to back. Such records are larger than a block and rare; their blocks are copied
 * to the heap, so that a long chain does not eat up the credit that its own end needs.
 */
final class SpanningRecords {
  private final long maxBytes;
  private final Map<Long, Map<Integer, ByteBuffer>> held = new HashMap<>();
  private final ArrayDeque<ByteBuffer> ready = new ArrayDeque<>();
  private long heldBytes;

  SpanningRecords(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * Keeps a copy of a block; if that closes a chain, the chain becomes ready.
   *
   * @throws SluiceException BLOCK_TOO_LARGE if more would be held than the reader may hold
   */
  void hold(BlockView block) {
    heldBytes += block.length();
    if (heldBytes > maxBytes) {
      throw new SluiceException(
          ErrorCode.BLOCK_TOO_LARGE,
          "a record that spans more blocks than the reader may hold (maxSpanningRecordBytes = "
              + maxBytes
              + "): "
              + block.describe());
    }
    Long pair = ((long) block.mapIndex() << 32) | block.partition();
    Map<Integer, ByteBuffer> blocks = held.computeIfAbsent(pair, key -> new HashMap<>());
    blocks.put(block.sequence(), block.copy());
    int first = chainEnd(blocks, block.sequence(), BlockHeader.CONTINUED, -1);
    int last = chainEnd(blocks, block.sequence(), BlockHeader.CONTINUES, 1);
    if (first < 0 || last < 0) {
      return;
    }
    for (int sequence = first; sequence <= last; sequence++) {
      ByteBuffer piece = blocks.remove(sequence);
      if (piece != null) {
        ready.add(piece);
      }
    }
    if (blocks.isEmpty()) {
      held.remove(pair);
    }
  }

  /** Walks while the flag says that the record goes on there; -1 if a block is not here yet. */
  private static int chainEnd(Map<Integer, ByteBuffer> blocks, int from, int flag, int direction) {
    int sequence = from;
    ByteBuffer block;
    while ((block = blocks.get(sequence)) != null) {
      if ((BlockHeader.flags(block, 0) & flag) == 0) {
        return sequence;
      }
      sequence += direction;
    }
    return -1;
  }

  /** Whether a chain is not whole yet. */
  boolean isHolding() {
    return !held.isEmpty();
  }

  boolean hasReady() {
    return !ready.isEmpty();
  }

  /** The next block of a whole chain, or null. */
  @Nullable ByteBuffer poll() {
    ByteBuffer block = ready.poll();
    if (block != null) {
      heldBytes -= block.limit();
    }
    return block;
  }
}
