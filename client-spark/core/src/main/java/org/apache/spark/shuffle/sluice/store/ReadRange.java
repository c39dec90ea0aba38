package org.apache.spark.shuffle.sluice.store;

/** What one reduce task reads: ranges of partitions and of maps, ends exclusive. Immutable. */
public final class ReadRange {
  private final int firstPartition;
  private final int endPartition;
  private final int firstMap;
  private final int endMap;

  public ReadRange(int firstPartition, int endPartition, int firstMap, int endMap) {
    this.firstPartition = firstPartition;
    this.endPartition = endPartition;
    this.firstMap = firstMap;
    this.endMap = endMap;
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

  /** Integer.MAX_VALUE for all. */
  public int endMap() {
    return endMap;
  }

  @Override
  public String toString() {
    return "partitions ["
        + firstPartition
        + ", "
        + endPartition
        + ")"
        + (firstMap == 0 && endMap == Integer.MAX_VALUE
            ? ""
            : ", maps [" + firstMap + ", " + endMap + ")");
  }
}
