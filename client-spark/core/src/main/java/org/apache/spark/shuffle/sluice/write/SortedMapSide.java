package org.apache.spark.shuffle.sluice.write;

import java.io.IOException;
import org.apache.spark.Partitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.shuffle.sluice.line.RowChecksums;
import org.apache.spark.shuffle.sluice.write.DrainCount.Why;
import scala.Product2;
import scala.Tuple2;
import scala.collection.Iterator;

/**
 * For map-side combine, and for many partitions with a serializer whose bytes cannot be moved:
 * objects are kept by partition until there are no more records or no more memory. Then all are
 * serialised into blocks and pushed, and it begins anew. Nothing is written to the executor's
 * disks; a key may come to be combined in several pieces, which the reader combines with those of
 * other maps.
 */
final class SortedMapSide<K, V, C> implements MapSide<K, V> {
  /** Records between two looks at what they take. Spark's own collections look as often. */
  private static final int RECORDS_A_LOOK = 32;

  private final Partitioner partitioner;
  private final PartitionedObjects<K, V, C> objects;
  private final RowChecksums checksums;
  private final PushPipeline pipeline;
  private final SerializedBlocks blocks;
  private final ObjectMemory memory;
  private final DrainCount drained = new DrainCount();
  private final MemoryReport report;
  private final int mostRecords;
  // A record is being added, or objects are being pushed. It stays so when that fails.
  private boolean busy;
  private int added;
  private long written;

  /**
   * @param pipeline closed with this
   */
  SortedMapSide(
      TaskContext context,
      Partitioner partitioner,
      PartitionedObjects<K, V, C> objects,
      Serializer serializer,
      RowChecksums checksums,
      PushPipeline pipeline,
      ObjectLimits limits) {
    this.partitioner = partitioner;
    this.objects = objects;
    this.checksums = checksums;
    this.pipeline = pipeline;
    this.blocks = new SerializedBlocks(serializer, pipeline);
    this.memory =
        new ObjectMemory(
            context.taskMemoryManager(), limits.unaccountedBytes(), this::spillForAnother);
    this.mostRecords = limits.records();
    this.report = new MemoryReport(context.taskMetrics());
  }

  @Override
  public void write(Iterator<Product2<K, V>> records) throws IOException {
    while (records.hasNext()) {
      add(records.next());
      if (added > mostRecords || (added % RECORDS_A_LOOK == 0 && isShort())) {
        push(Why.SPARKS, false);
      }
    }
    // Servers are waited for behind it, which may be long: others have the memory then.
    push(Why.OURS, true);
  }

  private void add(Product2<K, V> record) {
    K key = record._1();
    V value = record._2();
    int partition = partitioner.getPartition(key);
    checksums.update(partition, key, value);
    busy = true;
    objects.add(partition, key, value);
    busy = false;
    added++;
  }

  private boolean isShort() {
    long held = objects.estimatedBytes();
    drained.held(held);
    return !memory.admits(held);
  }

  private boolean spillForAnother() throws IOException {
    if (busy) {
      return false;
    }
    push(Why.SPARKS, false);
    return true;
  }

  /** Pushes everything, and gives its memory back. */
  private void push(Why why, boolean last) throws IOException {
    busy = true;
    if (!objects.isEmpty()) {
      drained.drained(objects.estimatedBytes(), why);
      pushAll(objects.drain(), last);
    }
    pipeline.flush();
    memory.release();
    added = 0;
    busy = false;
    reportMemory();
  }

  private void pushAll(Iterator<Tuple2<Tuple2<Object, K>, C>> elements, boolean last)
      throws IOException {
    int open = -1;
    while (elements.hasNext()) {
      Tuple2<Tuple2<Object, K>, C> element = elements.next();
      int partition = (Integer) element._1()._1();
      if (partition != open) {
        if (open >= 0) {
          blocks.end(last);
        }
        blocks.begin(partition);
        open = partition;
      }
      blocks.write(element._1()._2(), element._2());
      written++;
    }
    blocks.end(last);
  }

  private void reportMemory() {
    report.update(drained.peakBytes(), drained.spilledBytes(), 0);
  }

  /** What records were combined to, in as many pieces as were pushed. */
  @Override
  public long recordsWritten() {
    return written;
  }

  @Override
  public void close() {
    try {
      blocks.close();
    } finally {
      try {
        pipeline.close();
      } finally {
        memory.release();
        reportMemory();
      }
    }
  }
}
