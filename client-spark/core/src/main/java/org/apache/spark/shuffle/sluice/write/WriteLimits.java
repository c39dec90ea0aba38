package org.apache.spark.shuffle.sluice.write;

/** Bounds of one map task's writer. Immutable. */
public final class WriteLimits {
  private final int blockBytes;
  private final long maxBufferedBytes;
  private final int maxStreamedPartitions;
  private final ObjectLimits objects;

  /**
   * @param blockBytes raw bytes that make a block full
   * @param maxBufferedBytes of serialised records held before they are pushed
   * @param maxStreamedPartitions most partitions of a {@link StreamedMapSide}
   * @param objects of a {@link SortedMapSide}
   */
  public WriteLimits(
      int blockBytes, long maxBufferedBytes, int maxStreamedPartitions, ObjectLimits objects) {
    this.blockBytes = blockBytes;
    this.maxBufferedBytes = maxBufferedBytes;
    this.maxStreamedPartitions = maxStreamedPartitions;
    this.objects = objects;
  }

  int blockBytes() {
    return blockBytes;
  }

  long maxBufferedBytes() {
    return maxBufferedBytes;
  }

  int maxStreamedPartitions() {
    return maxStreamedPartitions;
  }

  ObjectLimits objects() {
    return objects;
  }
}
