package org.apache.spark.shuffle.sluice.spark41;

import org.apache.spark.shuffle.checksum.RowBasedChecksum;
import org.apache.spark.shuffle.sluice.line.RowChecksums;
import org.jspecify.annotations.Nullable;

/** Spark's own sums, one a partition, which came with the task. Used by its thread. */
final class PartitionChecksums implements RowChecksums {
  private final RowBasedChecksum[] partitions;

  PartitionChecksums(RowBasedChecksum[] partitions) {
    this.partitions = partitions;
  }

  @Override
  public void update(int partition, @Nullable Object key, @Nullable Object value) {
    partitions[partition].update(key, value);
  }

  @Override
  public long value() {
    return RowBasedChecksum.getAggregatedChecksumValue(partitions);
  }
}
