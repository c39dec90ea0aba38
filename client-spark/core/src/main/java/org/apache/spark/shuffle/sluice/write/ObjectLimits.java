package org.apache.spark.shuffle.sluice.write;

/** Up to when a map keeps objects: settings of Spark's, which its own collections keep to. */
public final class ObjectLimits {
  private final long unaccountedBytes;
  private final int records;
  private final long bytes;

  /**
   * @param unaccountedBytes for which Spark is not asked
   * @param records more than these are pushed, whatever memory there is
   * @param bytes more than these are
   */
  public ObjectLimits(long unaccountedBytes, int records, long bytes) {
    this.unaccountedBytes = unaccountedBytes;
    this.records = records;
    this.bytes = bytes;
  }

  long unaccountedBytes() {
    return unaccountedBytes;
  }

  int records() {
    return records;
  }

  long bytes() {
    return bytes;
  }
}
