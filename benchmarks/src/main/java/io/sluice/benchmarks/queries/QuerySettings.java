package io.sluice.benchmarks.queries;

import java.util.LinkedHashMap;
import java.util.Map;

/** What makes little data shuffle as much data does, alike on every line of Spark. */
final class QuerySettings {
  private QuerySettings() {}

  /**
   * Spark's configuration on both sides.
   *
   * @param partitions of a shuffle, before AQE
   */
  static Map<String, String> smallData(int partitions) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("spark.sql.shuffle.partitions", "" + partitions);
    // Tables of any suite are small enough here to be sent to all: joins would not shuffle.
    settings.put("spark.sql.autoBroadcastJoinThreshold", "-1");
    // With AQE they become so once both sides are shuffled, and are read where they were written.
    settings.put("spark.sql.adaptive.autoBroadcastJoinThreshold", "256k");
    // Several partitions are left after coalescing, and larger ones are split by maps.
    settings.put("spark.sql.adaptive.advisoryPartitionSizeInBytes", "64k");
    settings.put("spark.sql.adaptive.coalescePartitions.minPartitionSize", "16k");
    settings.put("spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes", "64k");
    settings.put("spark.sql.adaptive.skewJoin.skewedPartitionFactor", "1.5");
    // From 4.0 on a division by zero is an error by default, and some sums of so little are zero.
    settings.put("spark.sql.ansi.enabled", "false");
    // Tables are read in several tasks, so that shuffles have several maps.
    settings.put("spark.sql.files.maxPartitionBytes", "512k");
    settings.put("spark.sql.files.openCostInBytes", "64k");
    return settings;
  }
}
