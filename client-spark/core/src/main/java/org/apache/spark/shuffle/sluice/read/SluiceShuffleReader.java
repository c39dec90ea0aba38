package org.apache.spark.shuffle.sluice.read;

import org.apache.spark.Aggregator;
import org.apache.spark.InterruptibleIterator;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.sluice.line.SparkLine;
import org.apache.spark.shuffle.sluice.sql.UnsafeRowFormat;
import org.apache.spark.shuffle.sluice.sql.UnsafeRowIterator;
import org.apache.spark.util.collection.ExternalSorter;
import scala.Option;
import scala.Product2;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.math.Ordering;

/**
 * A reduce task's reader: deserialises what {@link RawBlocks} brings, then combines and sorts as
 * the dependency asks, with Spark's own classes. Used by the task's thread.
 */
final class SluiceShuffleReader<K, C> implements ShuffleReader<K, C> {
  private final SparkLine line;
  private final ShuffleDependency<K, Object, C> dependency;
  private final TaskContext context;
  private final RawBlocks blocks;
  private final TaskEnd taskEnd;
  private final ShuffleReadMetricsReporter metrics;

  SluiceShuffleReader(
      SparkLine line,
      ShuffleDependency<K, Object, C> dependency,
      TaskContext context,
      RawBlocks blocks,
      TaskEnd taskEnd,
      ShuffleReadMetricsReporter metrics) {
    this.line = line;
    this.dependency = dependency;
    this.context = context;
    this.blocks = blocks;
    this.taskEnd = taskEnd;
    this.metrics = metrics;
  }

  @Override
  public Iterator<Product2<K, C>> read() {
    RecordIterator<Tuple2<Object, Object>> records =
        new RecordIterator<>(deserialised(), blocks, metrics, context, taskEnd);
    taskEnd.run(records::end);
    // Each record is looked at for cancellation. What combines or sorts has taken all by then.
    Iterator<Product2<K, C>> combined = combine(records);
    Iterator<Product2<K, C>> sorted = sort(combined);
    return sorted == (Object) records ? sorted : new InterruptibleIterator<>(context, sorted);
  }

  private Iterator<Tuple2<Object, Object>> deserialised() {
    Serializer serializer = dependency.serializer();
    if (UnsafeRowFormat.isFormatOf(serializer)) {
      return new UnsafeRowIterator(blocks, serializer);
    }
    SerializerInstance instance = serializer.newInstance();
    return serializer.supportsRelocationOfSerializedObjects()
        ? instance.deserializeStream(new BlockInputStream(blocks)).asKeyValueIterator()
        : new StreamPerPieceIterator(blocks, instance);
  }

  /** The types follow from the dependency: combined values if maps combined, else plain ones. */
  @SuppressWarnings("unchecked")
  private Iterator<Product2<K, C>> combine(Iterator<?> records) {
    if (dependency.aggregator().isEmpty()) {
      return (Iterator<Product2<K, C>>) records;
    }
    Aggregator<K, Object, C> aggregator = dependency.aggregator().get();
    Iterator<?> combined =
        dependency.mapSideCombine()
            ? aggregator.combineCombinersByKey((Iterator<Product2<K, C>>) records, context)
            : aggregator.combineValuesByKey((Iterator<Product2<K, Object>>) records, context);
    return (Iterator<Product2<K, C>>) combined;
  }

  private Iterator<Product2<K, C>> sort(Iterator<Product2<K, C>> records) {
    Option<Ordering<K>> ordering = dependency.keyOrdering();
    if (ordering.isEmpty()) {
      return records;
    }
    ExternalSorter<K, C, C> sorter = line.sorter(context, ordering, dependency.serializer());
    return sorter.insertAllAndUpdateMetrics(records);
  }
}
