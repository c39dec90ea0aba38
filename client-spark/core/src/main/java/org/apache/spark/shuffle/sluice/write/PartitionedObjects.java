package org.apache.spark.shuffle.sluice.write;

import scala.Tuple2;
import scala.collection.Iterator;

/**
 * Records of a map as objects, by partition, in a collection of Spark's. Used by one thread.
 *
 * @param <C> what a key has in the end: its values combined, or each of them
 */
interface PartitionedObjects<K, V, C> {
  void add(int partition, K key, V value);

  /** About what it takes of the heap, in bytes. */
  long estimatedBytes();

  boolean isEmpty();

  /** Everything, one partition after the other in ascending order; there is nothing left then. */
  Iterator<Tuple2<Tuple2<Object, K>, C>> drain();
}
