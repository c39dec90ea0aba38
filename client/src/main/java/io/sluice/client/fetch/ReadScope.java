package io.sluice.client.fetch;

import io.sluice.client.ExpectedMaps;
import io.sluice.client.ShufflePlacement;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import java.util.BitSet;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a reader is asked for: partitions {@code [firstPartition, endPartition)} of maps {@code
 * [firstMap, endMap)}, and what it must find there. Immutable.
 */
public final class ReadScope {
  private final ShufflePlacement placement;
  private final int firstPartition;
  private final int endPartition;
  private final int firstMap;
  private final int endMap;
  private final ExpectedMaps expected;

  // By map index; null: all blocks.
  private final @Nullable Map<Integer, BitSet> blocks;

  /**
   * A scope.
   *
   * @throws SluiceException INVALID_ARGUMENT if a range is no range
   */
  public ReadScope(
      ShufflePlacement placement,
      int firstPartition,
      int endPartition,
      int firstMap,
      int endMap,
      ExpectedMaps expected) {
    if (firstPartition < 0
        || firstPartition > endPartition
        || endPartition > placement.partitions()
        || firstMap < 0
        || firstMap > endMap) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          String.format(
              Locale.ROOT,
              "partitions [%d, %d) of %d, maps [%d, %d)",
              firstPartition,
              endPartition,
              placement.partitions(),
              firstMap,
              endMap));
    }
    this.placement = placement;
    this.firstPartition = firstPartition;
    this.endPartition = endPartition;
    this.firstMap = firstMap;
    this.endMap = endMap;
    this.expected = expected;
    this.blocks = null;
  }

  private ReadScope(
      ShufflePlacement placement, int partition, ExpectedMaps maps, Map<Integer, BitSet> blocks) {
    this.placement = placement;
    this.firstPartition = partition;
    this.endPartition = partition + 1;
    this.firstMap = maps.mapIndex(0);
    this.endMap = maps.mapIndex(maps.size() - 1) + 1;
    this.expected = maps;
    this.blocks = blocks;
  }

  /**
   * A part of this: some blocks of some maps in one partition, which have come before.
   *
   * @param maps which of them, ascending, one at least, each of them with blocks
   * @param wanted numbers of their blocks, by map index
   */
  ReadScope only(int partition, ExpectedMaps maps, Map<Integer, BitSet> wanted) {
    return new ReadScope(placement, partition, maps, wanted);
  }

  /** Numbers of the blocks of a map that are to be read; null: all, however many there are. */
  @Nullable BitSet blocksOf(int mapIndex) {
    return blocks == null ? null : blocks.get(mapIndex);
  }

  ShufflePlacement placement() {
    return placement;
  }

  ShuffleKey shuffle() {
    return placement.shuffle();
  }

  int firstPartition() {
    return firstPartition;
  }

  int endPartition() {
    return endPartition;
  }

  int firstMap() {
    return firstMap;
  }

  int endMap() {
    return endMap;
  }

  ExpectedMaps expected() {
    return expected;
  }

  boolean hasPartition(int partition) {
    return partition >= firstPartition && partition < endPartition;
  }
}
