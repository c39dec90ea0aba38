package org.apache.spark.shuffle.sluice.write;

/** Bounds of one map task's writer, in bytes. Immutable. */
public final class WriteLimits {
  private final int blockBytes;
  private final long maxBufferedBytes;

  /**
   * @param blockBytes raw bytes that make a block full
   * @param maxBufferedBytes serialised records held before they are pushed
   */
  public WriteLimits(int blockBytes, long maxBufferedBytes) {
    this.blockBytes = blockBytes;
    this.maxBufferedBytes = maxBufferedBytes;
  }

  int blockBytes() {
    return blockBytes;
  }

  long maxBufferedBytes() {
    return maxBufferedBytes;
  }
}
