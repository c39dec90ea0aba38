package io.sluice.server.segment;

import java.util.Arrays;

/**
 * A contiguous range of one segment, holding blocks of one partition sorted by mapIndex. Immutable.
 *
 * @param segment number of the segment file, unique on its disk
 * @param offset first byte in the segment
 * @param length in bytes
 * @param firstMap lowest mapIndex inside
 * @param lastMap highest mapIndex inside
 * @param sparseMaps sparse index: ascending mapIndex values, at most four in 64 KiB, the first
 *     being {@code firstMap}; empty in an extent too small to need one
 * @param sparseOffsets offset from the extent's start of the first block with mapIndex ≥ the entry
 */
@SuppressWarnings("ArrayRecordComponent") // identity of extents is never compared
public record Extent(
    int partition,
    long segment,
    long offset,
    int length,
    int blocks,
    int firstMap,
    int lastMap,
    int[] sparseMaps,
    int[] sparseOffsets) {

  /**
   * The beginning of it.
   *
   * @param end where a block ends, from the extent's start; above 0
   * @param endBlocks up to there
   * @param endMap mapIndex of the last of these
   */
  public Extent upTo(int end, int endBlocks, int endMap) {
    int entries = 0;
    while (entries < sparseOffsets.length && sparseOffsets[entries] < end) {
      entries++;
    }
    return new Extent(
        partition,
        segment,
        offset,
        end,
        endBlocks,
        firstMap,
        endMap,
        Arrays.copyOf(sparseMaps, entries),
        Arrays.copyOf(sparseOffsets, entries));
  }

  /** Offset from which a reader of maps ≥ {@code map} has to read. */
  public int startFor(int map) {
    if (map > lastMap) {
      return length;
    }
    int start = 0;
    for (int i = 0; i < sparseMaps.length && sparseMaps[i] <= map; i++) {
      start = sparseOffsets[i];
    }
    return start;
  }

  /** Offset at which a reader of maps &lt; {@code endMap} may stop. */
  public int endFor(int endMap) {
    if (firstMap >= endMap) {
      return 0;
    }
    for (int i = 0; i < sparseMaps.length; i++) {
      if (sparseMaps[i] >= endMap) {
        return sparseOffsets[i];
      }
    }
    return length;
  }
}
