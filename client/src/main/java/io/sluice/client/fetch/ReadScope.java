package io.sluice.client.fetch;

import io.sluice.client.ExpectedMaps;
import io.sluice.client.ShufflePlacement;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import java.util.Locale;

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
