package io.sluice.server.cache;

import io.sluice.server.disk.AlignedBuffers;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.ReadOptions;
import java.nio.ByteBuffer;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * A fixed amount of direct memory in a few large pieces, cut into windows of powers of two by the
 * buddy method (Knuth, The Art of Computer Programming 1, 2.5): no window is moved, and neighbours
 * that are both free become one again. Confined to the cache's lock, but for {@link #bytes}.
 */
final class WindowMemory {
  private final int capacity;
  private final int orders;
  // For each order, which of the blocks of size ALIGNMENT << order are free as such.
  private final BitSet[] free;
  // Of whole windows each, taken from the system when it is first used. Guarded by itself.
  private final @Nullable ByteBuffer[] pieces;
  private int used;

  /**
   * @param window the largest block; a power of two of at least the alignment
   * @param capacity a multiple of the window
   */
  WindowMemory(int window, int capacity) {
    this.capacity = capacity;
    this.pieces = new @Nullable ByteBuffer[(capacity - 1) / ReadOptions.MEMORY_PIECE + 1];
    this.orders = order(window) + 1;
    this.free = new BitSet[orders];
    for (int order = 0; order < orders; order++) {
      free[order] = new BitSet();
    }
    free[orders - 1].set(0, capacity / window);
  }

  /** The smallest order whose blocks hold so many bytes. */
  private static int order(int length) {
    int pages = (length + Disk.ALIGNMENT - 1) / Disk.ALIGNMENT;
    return Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(1, pages) - 1);
  }

  /** Offset of a block for so many bytes, or -1 if none is free. */
  int allocate(int length) {
    int wanted = order(length);
    for (int order = wanted; order < orders; order++) {
      int block = free[order].nextSetBit(0);
      if (block >= 0) {
        free[order].clear(block);
        int number = split(block, order, wanted);
        used += Disk.ALIGNMENT << wanted;
        return number * (Disk.ALIGNMENT << wanted);
      }
    }
    return -1;
  }

  /** Cuts a block down; its upper halves become free. */
  private int split(int block, int order, int wanted) {
    int number = block;
    for (int at = order - 1; at >= wanted; at--) {
      number *= 2;
      free[at].set(number + 1);
    }
    return number;
  }

  /** Takes back what {@link #allocate} gave for the same length. */
  void giveBack(int offset, int length) {
    int order = order(length);
    int block = offset / (Disk.ALIGNMENT << order);
    used -= Disk.ALIGNMENT << order;
    while (order < orders - 1 && free[order].get(block ^ 1)) {
      free[order].clear(block ^ 1);
      block /= 2;
      order++;
    }
    if (free[order].get(block)) {
      throw new IllegalStateException("window memory at " + offset + " was given back twice");
    }
    free[order].set(block);
  }

  /** The bytes of a block. Any thread that may take milliseconds. */
  ByteBuffer bytes(int offset, int length) {
    int number = offset / ReadOptions.MEMORY_PIECE;
    int start = number * ReadOptions.MEMORY_PIECE;
    synchronized (pieces) {
      ByteBuffer piece = pieces[number];
      if (piece == null) {
        piece = AlignedBuffers.allocate(Math.min(capacity - start, ReadOptions.MEMORY_PIECE));
        pieces[number] = piece;
      }
      return piece.slice(offset - start, length);
    }
  }

  int capacity() {
    return capacity;
  }

  /** Bytes in blocks that are given out. */
  int used() {
    return used;
  }
}
