package org.apache.spark.shuffle.sluice.write;

import org.apache.spark.util.collection.PartitionedPairBuffer;
import scala.Option;
import scala.Tuple2;
import scala.collection.Iterator;

/** Every record as it came, by Spark's buffer of pairs. */
final class GroupedObjects<K, V> implements PartitionedObjects<K, V, V> {
  /** Pairs; as many as Spark begins with. */
  private static final int FIRST_CAPACITY = 64;

  private PartitionedPairBuffer<K, V> buffer = new PartitionedPairBuffer<>(FIRST_CAPACITY);
  private boolean empty = true;

  @Override
  public void add(int partition, K key, V value) {
    buffer.insert(partition, key, value);
    empty = false;
  }

  @Override
  public long estimatedBytes() {
    return buffer.estimateSize();
  }

  @Override
  public boolean isEmpty() {
    return empty;
  }

  @Override
  public Iterator<Tuple2<Tuple2<Object, K>, V>> drain() {
    PartitionedPairBuffer<K, V> full = buffer;
    buffer = new PartitionedPairBuffer<>(FIRST_CAPACITY);
    empty = true;
    return full.partitionedDestructiveSortedIterator(Option.empty());
  }
}
