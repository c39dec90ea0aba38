package org.apache.spark.shuffle.sluice.write;

import java.io.IOException;
import org.apache.spark.Aggregator;
import org.apache.spark.Partitioner;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.sluice.line.RowChecksums;
import org.apache.spark.shuffle.sluice.line.SparkLine;
import org.apache.spark.util.collection.ExternalSorter;
import org.jspecify.annotations.Nullable;
import scala.Option;
import scala.Product2;
import scala.Tuple2;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.math.Ordering;

/**
 * For map-side combine, and for many partitions with a serializer whose bytes cannot be moved:
 * Spark's own external sorter groups objects by partition, and each partition's run is serialised
 * into blocks.
 */
final class SortedMapSide<K, V, C> implements MapSide<K, V> {
  private final SparkLine line;
  private final ShuffleDependency<K, V, C> dependency;
  private final TaskContext context;
  private final RowChecksums checksums;
  private final PushPipeline pipeline;
  private final SerializedBlocks blocks;
  private final MemoryReport memory;
  private @Nullable ExternalSorter<K, V, C> sorter;
  private long records;

  /**
   * @param pipeline closed with this
   */
  SortedMapSide(
      SparkLine line,
      ShuffleDependency<K, V, C> dependency,
      TaskContext context,
      RowChecksums checksums,
      PushPipeline pipeline) {
    this.line = line;
    this.dependency = dependency;
    this.context = context;
    this.checksums = checksums;
    this.pipeline = pipeline;
    this.blocks = new SerializedBlocks(dependency.serializer(), pipeline);
    this.memory = new MemoryReport(context.taskMetrics());
  }

  @Override
  public void write(Iterator<Product2<K, V>> iterator) throws IOException {
    ExternalSorter<K, V, C> current = newSorter();
    sorter = current;
    current.insertAll(checksums == RowChecksums.NONE ? iterator : new CheckedRecords(iterator));
    reportMemory(current);
    Iterator<Tuple2<Object, Iterator<Product2<K, C>>>> partitions = current.partitionedIterator();
    while (partitions.hasNext()) {
      Tuple2<Object, Iterator<Product2<K, C>>> partition = partitions.next();
      writePartition((Integer) partition._1(), partition._2());
    }
    pipeline.flush();
    // Servers are waited for now, which may be long: others can have its memory and its files'
    // room.
    stopSorter();
  }

  private void reportMemory(ExternalSorter<K, V, C> current) {
    memory.update(
        current.peakMemoryUsedBytes(), current.memoryBytesSpilled(), current.diskBytesSpilled());
  }

  private ExternalSorter<K, V, C> newSorter() {
    Option<Partitioner> partitioner = Option.apply(dependency.partitioner());
    // Without combine the order within a partition is the reader's affair.
    Option<Aggregator<K, V, C>> aggregator =
        dependency.mapSideCombine() ? dependency.aggregator() : Option.empty();
    Option<Ordering<K>> ordering =
        dependency.mapSideCombine() ? dependency.keyOrdering() : Option.empty();
    return line.sorter(context, aggregator, partitioner, ordering, dependency.serializer());
  }

  private void writePartition(int partition, Iterator<Product2<K, C>> elements) throws IOException {
    if (!elements.hasNext()) {
      return;
    }
    blocks.begin(partition);
    while (elements.hasNext()) {
      Product2<K, C> element = elements.next();
      blocks.write(element._1(), element._2());
      records++;
    }
    blocks.end();
  }

  @Override
  public long recordsWritten() {
    return records;
  }

  @Override
  public void close() {
    try {
      blocks.close();
    } finally {
      try {
        pipeline.close();
      } finally {
        stopSorter();
      }
    }
  }

  private void stopSorter() {
    ExternalSorter<K, V, C> current = sorter;
    sorter = null;
    if (current != null) {
      reportMemory(current);
      current.stop();
    }
  }

  /** Takes each record into the checksums on its way to the sorter. */
  private final class CheckedRecords extends AbstractIterator<Product2<K, V>> {
    private final Iterator<Product2<K, V>> records;
    private final Partitioner partitioner = dependency.partitioner();

    CheckedRecords(Iterator<Product2<K, V>> records) {
      this.records = records;
    }

    @Override
    public boolean hasNext() {
      return records.hasNext();
    }

    @Override
    public Product2<K, V> next() {
      Product2<K, V> record = records.next();
      K key = record._1();
      checksums.update(partitioner.getPartition(key), key, record._2());
      return record;
    }
  }
}
