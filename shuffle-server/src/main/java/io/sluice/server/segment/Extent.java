package io.sluice.server.segment;

import java.util.function.IntPredicate;
import java.util.stream.IntStream;

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
  /** Partition numbers from here on are no engine's, and are refused wherever they come from. */
  public static final int MAX_PARTITIONS = 1 << 20;

  /**
   * The beginning of it. Its highest mapIndex may be lower than what it says.
   *
   * @param end where a block ends, from the extent's start; above 0
   * @param endBlocks up to there
   * @param blockBegins whether readers come upon a block at one of the sparse offsets
   */
  public Extent upTo(int end, int endBlocks, IntPredicate blockBegins) {
    int[] kept =
        IntStream.range(0, sparseOffsets.length)
            .filter(i -> sparseOffsets[i] < end && blockBegins.test(sparseOffsets[i]))
            .toArray();
    return new Extent(
        partition,
        segment,
        offset,
        end,
        endBlocks,
        firstMap,
        lastMap,
        IntStream.of(kept).map(i -> sparseMaps[i]).toArray(),
        IntStream.of(kept).map(i -> sparseOffsets[i]).toArray());
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
