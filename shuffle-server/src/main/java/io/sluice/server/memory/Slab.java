package io.sluice.server.memory;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One mebibyte of direct memory, cut like a quad-tree: a free node of one level may be split into
 * four of the next, and four free siblings merge again. One bitmap per level says which nodes are
 * free. Guarded by the arena's lock, but for the buffer.
 *
 * <p>Thousands of small chunks come and go between two looks at the same slab, so each object of it
 * is a miss of the cache by then: what changes with each chunk is the bitmaps and two ints, and the
 * links are looked at only by who enters or leaves a list.
 */
final class Slab {
  private static final int CHILDREN = 4;
  private static final int WORD = Long.SIZE;
  // Levels 0..3 have up to 64 nodes, one word each; level 4 has 256 nodes in words 4..7.
  private static final int WORDS = 8;

  final ByteBuffer buffer;

  /** Links of the arena's per-level lists of slabs that have a free node of that level. */
  final @Nullable Slab[] next = new Slab[ChunkSize.LEVELS];

  final @Nullable Slab[] previous = new Slab[ChunkSize.LEVELS];

  /** In which of these lists it is: a bit for each level. */
  int listed;

  private final long[] freeNodes = new long[WORDS];
  // Of which levels a node is free, likewise.
  private int free;

  /**
   * @param buffer of {@link ChunkSize#MAX} bytes, this slab's alone
   */
  Slab(ByteBuffer buffer) {
    this.buffer = buffer;
    set(0, 0);
  }

  /** The levels whose lists it has to enter or to leave: a bit for each. */
  int misplaced() {
    return free ^ listed;
  }

  /** Takes a node of {@code wanted} out of a free node of {@code from}, a level not below it. */
  int take(int from, int wanted) {
    int node = firstFree(from);
    clear(from, node);
    for (int level = from + 1; level <= wanted; level++) {
      node *= CHILDREN;
      for (int sibling = 1; sibling < CHILDREN; sibling++) {
        set(level, node + sibling);
      }
    }
    return node;
  }

  /** Frees a node, merging it with free siblings upwards. */
  void put(int level, int node) {
    if (isFree(level, node)) {
      throw new IllegalStateException("chunk freed twice");
    }
    set(level, node);
    int at = level;
    int merged = node;
    while (at > 0 && siblingsFree(at, merged)) {
      int first = merged & -CHILDREN;
      for (int sibling = 0; sibling < CHILDREN; sibling++) {
        clear(at, first + sibling);
      }
      at--;
      merged = first / CHILDREN;
      set(at, merged);
    }
  }

  private boolean siblingsFree(int level, int node) {
    int first = node & -CHILDREN;
    return (freeNodes[level + first / WORD] >>> (first % WORD) & 0xF) == 0xF;
  }

  private boolean hasFree(int level) {
    long bits = 0;
    for (int word = 0; word < words(level); word++) {
      bits |= freeNodes[level + word];
    }
    return bits != 0;
  }

  private static int words(int level) {
    return level == ChunkSize.LEVELS - 1 ? WORDS - level : 1;
  }

  private int firstFree(int level) {
    for (int word = 0; word < words(level); word++) {
      long bits = freeNodes[level + word];
      if (bits != 0) {
        return word * WORD + Long.numberOfTrailingZeros(bits);
      }
    }
    throw new IllegalStateException("slab has no free node of level " + level);
  }

  private boolean isFree(int level, int node) {
    return (freeNodes[level + node / WORD] >>> (node % WORD) & 1) != 0;
  }

  private void set(int level, int node) {
    freeNodes[level + node / WORD] |= 1L << (node % WORD);
    free |= 1 << level;
  }

  private void clear(int level, int node) {
    freeNodes[level + node / WORD] &= ~(1L << (node % WORD));
    if (!hasFree(level)) {
      free &= ~(1 << level);
    }
  }
}
