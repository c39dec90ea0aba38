package org.apache.spark.shuffle.sluice.write;

import org.apache.spark.Aggregator;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.shuffle.sluice.line.RowChecksums;
import org.apache.spark.shuffle.sluice.sql.UnsafeRowFormat;
import org.jspecify.annotations.Nullable;

/** Which of the ways the records of a map become blocks in. Thread-safe. */
final class MapSides {
  private final WriteLimits limits;
  private final TaskArrays arrays;

  /**
   * @param arrays lends what records that are serialised at once are collected in
   */
  MapSides(WriteLimits limits, TaskArrays arrays) {
    this.limits = limits;
    this.arrays = arrays;
  }

  /**
   * The map side of the calling task.
   *
   * @param pipeline closed with it; here if there is to be none
   */
  <K, V> MapSide<K, V> open(
      ShuffleDependency<K, V, ?> dependency,
      TaskContext context,
      RowChecksums checksums,
      PushPipeline pipeline) {
    boolean complete = false;
    try {
      MapSide<K, V> mapSide = choose(dependency, context, checksums, pipeline);
      complete = true;
      return mapSide;
    } finally {
      if (!complete) {
        pipeline.close();
      }
    }
  }

  private <K, V, C> MapSide<K, V> choose(
      ShuffleDependency<K, V, C> dependency,
      TaskContext context,
      RowChecksums checksums,
      PushPipeline pipeline) {
    Serializer serializer = dependency.serializer();
    boolean relocatable = serializer.supportsRelocationOfSerializedObjects();
    int partitions = dependency.partitioner().numPartitions();
    int most = relocatable ? PageSorter.MAX_PARTITIONS : limits.maxStreamedPartitions();
    if (dependency.mapSideCombine()) {
      Aggregator<K, V, C> aggregator = dependency.aggregator().get();
      return sorted(dependency, context, new CombinedObjects<>(aggregator), checksums, pipeline);
    }
    if (partitions > most) {
      return sorted(dependency, context, new GroupedObjects<>(), checksums, pipeline);
    }
    if (relocatable) {
      return paged(dependency, context, checksums, pipeline);
    }
    return new StreamedMapSide<>(
        context,
        dependency.partitioner(),
        serializer.newInstance(),
        checksums,
        pipeline,
        limits.maxBufferedBytes());
  }

  private <K, V, C> MapSide<K, V> sorted(
      ShuffleDependency<K, V, ?> dependency,
      TaskContext context,
      PartitionedObjects<K, V, C> objects,
      RowChecksums checksums,
      PushPipeline pipeline) {
    return new SortedMapSide<>(
        context,
        dependency.partitioner(),
        objects,
        dependency.serializer(),
        checksums,
        pipeline,
        limits.objects());
  }

  private <K, V> MapSide<K, V> paged(
      ShuffleDependency<K, V, ?> dependency,
      TaskContext context,
      RowChecksums checksums,
      PushPipeline pipeline) {
    RecordAppender<K, V> appender = appender(dependency.serializer());
    boolean complete = false;
    try {
      MapSide<K, V> mapSide =
          new PagedMapSide<>(
              context,
              dependency.partitioner(),
              appender,
              checksums,
              pipeline,
              arrays,
              limits.maxBufferedBytes());
      complete = true;
      return mapSide;
    } finally {
      if (!complete) {
        appender.close();
      }
    }
  }

  @SuppressWarnings("unchecked") // Whoever serialises rows has rows.
  private static <K, V> RecordAppender<K, V> appender(Serializer serializer) {
    @Nullable RecordAppender<Object, Object> rows =
        UnsafeRowFormat.isFormatOf(serializer) ? UnsafeRowFormat.appender(serializer) : null;
    return rows == null
        ? new StreamAppender<>(serializer.newInstance())
        : (RecordAppender<K, V>) rows;
  }
}
