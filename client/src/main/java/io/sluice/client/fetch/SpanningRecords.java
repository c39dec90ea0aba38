package io.sluice.client.fetch;

import io.sluice.client.ReaderMemory;
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
  private final ReaderMemory memory;
  private final Map<Long, Map<Integer, ByteBuffer>> held = new HashMap<>();
  private final ArrayDeque<ByteBuffer> ready = new ArrayDeque<>();
  private long heldBytes;
  private long readyRawBytes;

  /**
   * @param memory told what is held
   */
  SpanningRecords(long maxBytes, ReaderMemory memory) {
    this.maxBytes = maxBytes;
    this.memory = memory;
  }

  /**
   * Keeps a copy of a block; if that closes a chain, the chain becomes ready.
   *
   * @throws SluiceException BLOCK_TOO_LARGE if more would be held than the reader may hold
   */
  void hold(BlockView block) {
    if (heldBytes + block.length() > maxBytes) {
      throw new SluiceException(
          ErrorCode.BLOCK_TOO_LARGE,
          "of records that are longer than a block and not whole yet, more than the "
              + maxBytes
              + " bytes are here that a reader may hold: "
              + block.describe());
    }
    changed(block.length());
    Long pair = ((long) block.mapIndex() << 32) | block.partition();
    Map<Integer, ByteBuffer> blocks = held.computeIfAbsent(pair, key -> new HashMap<>());
    blocks.put(block.sequence(), block.copy());
    // Blocks mostly come in order, and then one look ahead says that the chain is not whole; to
    // look
    // back first would take as many steps as there are blocks, for each of them.
    int last = chainEnd(blocks, block.sequence(), BlockHeader.CONTINUES, 1);
    int first = last < 0 ? -1 : chainEnd(blocks, block.sequence(), BlockHeader.CONTINUED, -1);
    if (first < 0) {
      return;
    }
    for (int sequence = first; sequence <= last; sequence++) {
      ByteBuffer piece = blocks.remove(sequence);
      if (piece != null) {
        ready.add(piece);
        readyRawBytes += BlockHeader.rawLength(piece, 0);
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

  /** Raw bytes of what {@link #poll} has still to give of the chain that is ready. */
  long readyRawBytes() {
    return readyRawBytes;
  }

  /** The next block of a whole chain, or null. */
  @Nullable ByteBuffer poll() {
    ByteBuffer block = ready.poll();
    if (block != null) {
      changed(-block.limit());
      readyRawBytes -= BlockHeader.rawLength(block, 0);
    }
    return block;
  }

  private void changed(int bytes) {
    heldBytes += bytes;
    memory.held(bytes);
  }

  /** Drops everything; harmless when repeated. */
  void close() {
    held.clear();
    ready.clear();
    memory.held(-heldBytes);
    heldBytes = 0;
    readyRawBytes = 0;
  }
}
