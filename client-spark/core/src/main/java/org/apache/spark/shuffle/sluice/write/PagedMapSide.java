package org.apache.spark.shuffle.sluice.write;

import java.io.IOException;
import org.apache.spark.Partitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.sluice.line.RowChecksums;
import org.jspecify.annotations.Nullable;
import scala.Product2;
import scala.collection.Iterator;

/**
 * For relocatable serializers without map-side combine: serialises every record at once, then moves
 * bytes only.
 */
final class PagedMapSide<K, V> implements MapSide<K, V> {
  private final Partitioner partitioner;
  private final RecordAppender<K, V> appender;
  private final RowChecksums checksums;
  private final PushPipeline pipeline;
  private final BlockPacker packer;
  private final RecordPages pages;
  private final MemoryReport memory;
  private boolean last;
  private long records;

  /**
   * @param appender closed with this
   * @param pipeline closed with this
   * @param arrays lends what records and their entries are in
   * @param maxBufferedBytes the most that is collected; less if that makes full blocks
   */
  PagedMapSide(
      TaskContext context,
      Partitioner partitioner,
      RecordAppender<K, V> appender,
      RowChecksums checksums,
      PushPipeline pipeline,
      TaskArrays arrays,
      long maxBufferedBytes) {
    int partitions = partitioner.numPartitions();
    this.partitioner = partitioner;
    this.appender = appender;
    this.checksums = checksums;
    this.pipeline = pipeline;
    this.packer = new BlockPacker(pipeline, partitions, appender.prefixIsData());
    this.pages =
        new RecordPages(
            context.taskMemoryManager(),
            arrays,
            partitions,
            BufferBounds.of(maxBufferedBytes, partitions, pipeline.maxRawBytes()),
            new Packing());
    this.memory = new MemoryReport(context.taskMetrics());
  }

  @Override
  public void write(Iterator<Product2<K, V>> iterator) throws IOException {
    while (iterator.hasNext()) {
      Product2<K, V> record = iterator.next();
      K key = record._1();
      V value = record._2();
      int partition = partitioner.getPartition(key);
      appender.append(pages, partition, key, value);
      checksums.update(partition, key, value);
      records++;
    }
    appender.finish();
    last = true;
    pages.finish();
    reportMemory();
    pages.close();
  }

  private void reportMemory() {
    memory.update(pages.peakBytes(), pages.spilledBytes());
  }

  private final class Packing implements RecordPages.Drain {
    @Override
    public void drain(RecordPages full) throws IOException {
      packer.pack(full, last);
      reportMemory();
    }

    @Override
    public void pushAlone(int partition, @Nullable Object base, long offset, int length)
        throws IOException {
      packer.packAlone(partition, base, offset, length);
    }
  }

  @Override
  public long recordsWritten() {
    return records;
  }

  @Override
  public void close() {
    try {
      appender.close();
    } finally {
      try {
        pages.close();
        reportMemory();
      } finally {
        pipeline.close();
      }
    }
  }
}
