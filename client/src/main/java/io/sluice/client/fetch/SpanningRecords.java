package io.sluice.client.fetch;

import io.sluice.client.ReaderMemory;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Blocks that share a record with a neighbour, held until the whole chain is here, so that it can
 * be delivered back to back. Such records are larger than a block and rare; their blocks are copied
 * to the heap, so that a long chain does not eat up the credit that its own end needs.
 *
 * <p>Where maps that ran at the same time have such records, as many chains may be open as there
 * are maps. When there is no room for a block, chains are dropped, and with them all that comes of
 * them yet: those of the last partition, there those of the last map. What is dropped is noted in
 * {@link SetAside}, to be asked for again. So the first chain, in that order, is dropped only if
 * there is no room for itself alone.
 */
final class SpanningRecords {
  private final LongRecordMemory.Room room;
  private final ReaderMemory memory;
  private final SetAside setAside;
  private final IntBinaryOperator chainStarts;
  private final TreeMap<ChainPlace, Map<Integer, ByteBuffer>> held = new TreeMap<>();
  private final Set<ChainPlace> dropped = new HashSet<>();
  private final ArrayDeque<ByteBuffer> ready = new ArrayDeque<>();
  private long heldBytes;
  private long readyRawBytes;

  /**
   * @param room for what is held
   * @param memory told what is held
   * @param setAside told what has come and was dropped
   * @param chainStarts the first number of the chain that a block of a map is in, by map index and
   *     number of the block; where that is not known 0 for all
   */
  SpanningRecords(
      LongRecordMemory.Room room,
      ReaderMemory memory,
      SetAside setAside,
      IntBinaryOperator chainStarts) {
    this.room = room;
    this.memory = memory;
    this.setAside = setAside;
    this.chainStarts = chainStarts;
  }

  /**
   * Keeps a copy of a block, or sets it aside; if that closes a chain, the chain becomes ready. Not
   * while one is.
   */
  void hold(BlockView block) {
    ChainPlace place =
        new ChainPlace(
            block.partition(),
            block.mapIndex(),
            chainStarts.applyAsInt(block.mapIndex(), block.sequence()));
    if (dropped.contains(place) || !makeRoom(place, block)) {
      setAside.add(
          block.partition(), block.mapIndex(), block.sequence(), block.length(), block.continues());
      return;
    }
    heldBytes += block.length();
    memory.held(block.length());
    Map<Integer, ByteBuffer> blocks = held.computeIfAbsent(place, key -> new HashMap<>());
    blocks.put(block.sequence(), block.copy());
    // Blocks mostly come in order, and then one look ahead says that the chain is not whole; to
    // look back first would take as many steps as there are blocks, for each of them.
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
      held.remove(place);
    }
  }

  /** Takes room for a block; false if it is to be set aside, and its chain was. */
  private boolean makeRoom(ChainPlace place, BlockView block) {
    while (!room.take(block.length())) {
      boolean isFirst = held.isEmpty() || place.compareTo(held.firstKey()) <= 0;
      boolean isLast = held.isEmpty() || place.compareTo(held.lastKey()) >= 0;
      if (isFirst && isLast && room.isReserved()) {
        throw new SluiceException(
            ErrorCode.INTERNAL_ERROR,
            "a record is longer than when it came before: " + block.describe());
      }
      drop(isLast ? place : held.lastKey());
      if (isLast) {
        return false;
      }
    }
    return true;
  }

  private void drop(ChainPlace place) {
    dropped.add(place);
    Map<Integer, ByteBuffer> blocks = held.remove(place);
    if (blocks == null) {
      return;
    }
    blocks.forEach(
        (sequence, block) -> {
          boolean continues = (BlockHeader.flags(block, 0) & BlockHeader.CONTINUES) != 0;
          setAside.add(place.partition(), place.mapIndex(), sequence, block.limit(), continues);
          letGo(block);
        });
  }

  private void letGo(ByteBuffer block) {
    heldBytes -= block.limit();
    memory.held(-block.limit());
    room.giveBack(block.limit());
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
      letGo(block);
      readyRawBytes -= BlockHeader.rawLength(block, 0);
    }
    return block;
  }

  /** Drops everything, for good; harmless when repeated. */
  void close() {
    held.clear();
    ready.clear();
    memory.held(-heldBytes);
    room.giveBack(heldBytes);
    heldBytes = 0;
    readyRawBytes = 0;
  }
}
