package org.apache.spark.shuffle.sluice.write;

import java.io.IOException;
import org.apache.spark.Partitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.shuffle.sluice.failure.WentOnException;
import org.apache.spark.shuffle.sluice.line.RowChecksums;
import org.apache.spark.shuffle.sluice.write.DrainCount.Why;
import org.jspecify.annotations.Nullable;
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
  private final ObjectLimits limits;
  // In the midst of a record.
  private boolean adding;
  // Objects are being pushed, or some were to be and are lost: nothing may be pushed behind them.
  private boolean torn;
  private @Nullable Throwable failure;
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
    this.limits = limits;
    this.report = new MemoryReport(context.taskMetrics());
  }

  @Override
  public void write(Iterator<Product2<K, V>> records) throws IOException {
    while (records.hasNext()) {
      add(records.next());
      if (added > limits.records() || (added % RECORDS_A_LOOK == 0 && isShort())) {
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
    adding = true;
    objects.add(partition, key, value);
    adding = false;
    added++;
  }

  private boolean isShort() {
    long held = objects.estimatedBytes();
    drained.held(held);
    return held > limits.bytes() || !memory.admits(held);
  }

  private boolean spillForAnother() throws IOException {
    if (adding || torn) {
      return false;
    }
    push(Why.SPARKS, false);
    return true;
  }

  /**
   * Pushes everything, and gives its memory back. Whoever asked for that memory, a function of the
   * user's too, may catch what comes of it and go on with the records: without those that were to
   * be pushed.
   */
  private void push(Why why, boolean last) throws IOException {
    if (torn) {
      throw new WentOnException(
          "objects of this attempt were being pushed, and what that failed of was caught: they are"
              + " lost to it",
          failure);
    }
    torn = true;
    try {
      pushObjects(why, last);
    } catch (Throwable e) { // Scala's serializers throw checked exceptions undeclared.
      failure = e;
      throw e;
    }
    torn = false;
    reportMemory();
  }

  private void pushObjects(Why why, boolean last) throws IOException {
    if (!objects.isEmpty()) {
      drained.drained(objects.estimatedBytes(), why);
      pushAll(objects.drain(), last);
    }
    pipeline.flush();
    memory.release();
    added = 0;
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
    report.update(drained.peakBytes(), drained.spilledBytes());
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
