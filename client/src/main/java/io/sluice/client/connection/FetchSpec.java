package io.sluice.client.connection;

import io.sluice.common.id.ShuffleKey;

/** What one stream asks of one server. Immutable. */
public final class FetchSpec {
  private final ShuffleKey shuffle;
  private final long incarnation;
  private final int firstPartition;
  private final int endPartition;
  private final int firstMap;
  private final int endMap;

  /**
   * Partitions {@code [firstPartition, endPartition)} of maps {@code [firstMap, endMap)}.
   *
   * @param incarnation of the server, as the placement names it
   */
  public FetchSpec(
      ShuffleKey shuffle,
      long incarnation,
      int firstPartition,
      int endPartition,
      int firstMap,
      int endMap) {
    this.shuffle = shuffle;
    this.incarnation = incarnation;
    this.firstPartition = firstPartition;
    this.endPartition = endPartition;
    this.firstMap = firstMap;
    this.endMap = endMap;
  }

  public ShuffleKey shuffle() {
    return shuffle;
  }

  public long incarnation() {
    return incarnation;
  }

  public int firstPartition() {
    return firstPartition;
  }

  public int endPartition() {
    return endPartition;
  }

  public int firstMap() {
    return firstMap;
  }

  public int endMap() {
    return endMap;
  }
}
