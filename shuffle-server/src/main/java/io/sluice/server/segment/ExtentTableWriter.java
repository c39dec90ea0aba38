package io.sluice.server.segment;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Packs the extents of one unit as they are staged (docs/storage-format.md, "Extent table").
 * Reusable; confined to the thread that stages.
 */
final class ExtentTableWriter {
  /**
   * Distance of sparse entries: a reader of one map reads at most twice this much that is others'.
   */
  static final int SPARSE_STEP = 64 << 10;

  private final ByteBuffer table;
  private int[] sparseMaps = new int[16];
  private int[] sparseOffsets = new int[16];
  private int sparse;
  private int extents;
  private int partition;
  private int previousPartition;
  private int blocks;
  private int firstMap;
  private int lastMap;
  // The highest map below the last one, and where the last one's blocks begin.
  private int mapBefore;
  private int lastMapOffset;
  private int lastSparseOffset;

  /**
   * @param table room for the packed table, from its beginning; others may append to it
   */
  ExtentTableWriter(ByteBuffer table) {
    this.table = table;
  }

  void reset() {
    table.clear();
    extents = 0;
    previousPartition = -1;
  }

  int extents() {
    return extents;
  }

  /** Whether another extent of at most {@code length} bytes surely fits. */
  boolean fits(int length) {
    // At most two places in each step, see below, with two entries of two numbers each.
    int numbersMax = 6 + 8 * (length / SPARSE_STEP);
    return table.remaining() >= numbersMax * Varints.LENGTH_MAX;
  }

  void begin(int partition) {
    if (partition <= previousPartition) {
      throw new IllegalArgumentException(
          "partition " + partition + " staged after " + previousPartition);
    }
    this.partition = partition;
    blocks = 0;
    sparse = 0;
    lastMapOffset = 0;
    lastSparseOffset = 0;
  }

  /** A block begins {@code offset} bytes after the extent's start. */
  void block(int mapIndex, int offset) {
    if (blocks == 0) {
      firstMap = mapIndex;
    } else if (mapIndex < lastMap) {
      throw new IllegalArgumentException("map " + mapIndex + " staged after " + lastMap);
    } else if (mapIndex > lastMap) {
      mapEnds(offset);
      if (offset - lastSparseOffset >= SPARSE_STEP) {
        addSparse(lastMap, mapIndex, offset);
      }
      mapBefore = lastMap;
      lastMapOffset = offset;
    }
    lastMap = mapIndex;
    blocks++;
  }

  /** A map that is long has an entry of its own: nobody else is to read it. */
  private void mapEnds(int offset) {
    if (lastMapOffset > lastSparseOffset && offset - lastMapOffset >= SPARSE_STEP) {
      addSparse(mapBefore, lastMap, lastMapOffset);
    }
  }

  /** Who wants a map between the two reads neither what comes before nor what comes after. */
  private void addSparse(int before, int mapIndex, int offset) {
    if (mapIndex > before + 1) {
      addSparse(before + 1, offset);
    }
    addSparse(mapIndex, offset);
  }

  private void addSparse(int mapIndex, int offset) {
    if (sparse == sparseMaps.length) {
      sparseMaps = Arrays.copyOf(sparseMaps, sparse * 2);
      sparseOffsets = Arrays.copyOf(sparseOffsets, sparse * 2);
    }
    sparseMaps[sparse] = mapIndex;
    sparseOffsets[sparse] = offset;
    sparse++;
    lastSparseOffset = offset;
  }

  void end(int length) {
    if (blocks == 0) {
      throw new IllegalStateException("extent of partition " + partition + " has no block");
    }
    mapEnds(length);
    Varints.put(table, partition - previousPartition - 1);
    Varints.put(table, length);
    Varints.put(table, blocks);
    Varints.put(table, firstMap);
    Varints.put(table, lastMap - firstMap);
    Varints.put(table, sparse);
    int map = firstMap;
    int offset = 0;
    for (int i = 0; i < sparse; i++) {
      Varints.put(table, sparseMaps[i] - map);
      Varints.put(table, sparseOffsets[i] - offset);
      map = sparseMaps[i];
      offset = sparseOffsets[i];
    }
    previousPartition = partition;
    extents++;
  }

  /** The table so far; shares the bytes until the next change. */
  ByteBuffer packed() {
    return table.duplicate().flip();
  }
}
