package io.sluice.client.fetch;

/**
 * Where a chain of blocks is: its partition, its map and the number of its first block, or 0 for
 * all chains of a map in a partition. In this order. Immutable.
 */
final class ChainPlace implements Comparable<ChainPlace> {
  private final int partition;
  private final int mapIndex;
  private final int start;

  ChainPlace(int partition, int mapIndex, int start) {
    this.partition = partition;
    this.mapIndex = mapIndex;
    this.start = start;
  }

  int partition() {
    return partition;
  }

  int mapIndex() {
    return mapIndex;
  }

  @Override
  public int compareTo(ChainPlace other) {
    int order = Integer.compare(partition, other.partition);
    order = order != 0 ? order : Integer.compare(mapIndex, other.mapIndex);
    return order != 0 ? order : Integer.compare(start, other.start);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ChainPlace && compareTo((ChainPlace) other) == 0;
  }

  @Override
  public int hashCode() {
    return (partition * 31 + mapIndex) * 31 + start;
  }
}
