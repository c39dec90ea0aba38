package org.apache.spark.shuffle.sluice.write;

import java.io.IOException;
import org.apache.spark.Partitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.shuffle.sluice.line.RowChecksums;
import scala.Product2;
import scala.collection.Iterator;

/**
 * For serializers whose bytes cannot be moved, without map-side combine and while partitions are
 * few ({@link WriteLimits}): every record is serialised before the next one is asked for. Whoever
 * makes records may then use their memory again, as makers of columnar batches do; Spark's own
 * writer keeps objects for later only in the cases where {@link SortedMapSide} does.
 */
final class StreamedMapSide<K, V> implements MapSide<K, V> {
  private final Partitioner partitioner;
  private final RowChecksums checksums;
  private final PushPipeline pipeline;
  private final PartitionStreams streams;
  private long records;

  /**
   * @param pipeline closed with this
   * @param maxBufferedBytes see {@link PartitionStreams}
   */
  StreamedMapSide(
      TaskContext context,
      Partitioner partitioner,
      SerializerInstance serializer,
      RowChecksums checksums,
      PushPipeline pipeline,
      long maxBufferedBytes) {
    this.partitioner = partitioner;
    this.checksums = checksums;
    this.pipeline = pipeline;
    this.streams =
        new PartitionStreams(
            context.taskMemoryManager(),
            serializer,
            pipeline,
            partitioner.numPartitions(),
            maxBufferedBytes,
            new MemoryReport(context.taskMetrics()));
  }

  @Override
  public void write(Iterator<Product2<K, V>> iterator) throws IOException {
    while (iterator.hasNext()) {
      Product2<K, V> record = iterator.next();
      K key = record._1();
      V value = record._2();
      int partition = partitioner.getPartition(key);
      streams.write(partition, key, value);
      checksums.update(partition, key, value);
      records++;
    }
    streams.finish();
  }

  @Override
  public long recordsWritten() {
    return records;
  }

  @Override
  public void close() {
    try {
      streams.close();
    } finally {
      pipeline.close();
    }
  }
}
