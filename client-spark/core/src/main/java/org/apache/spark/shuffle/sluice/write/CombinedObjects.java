package org.apache.spark.shuffle.sluice.write;

import org.apache.spark.Aggregator;
import org.apache.spark.util.collection.PartitionedAppendOnlyMap;
import org.jspecify.annotations.Nullable;
import scala.Function1;
import scala.Function2;
import scala.Option;
import scala.Tuple2;
import scala.collection.Iterator;

/** One combined value for each key that there is, by Spark's hash map. */
final class CombinedObjects<K, V, C> implements PartitionedObjects<K, V, C> {
  private final Function1<V, C> first;
  private final Function2<C, V, C> further;
  // One for all records, as it is called before the next one comes.
  private final Function2<Object, C, C> update = this::combined;
  private PartitionedAppendOnlyMap<K, C> map = new PartitionedAppendOnlyMap<>();
  private @Nullable V adding;

  CombinedObjects(Aggregator<K, V, C> aggregator) {
    first = aggregator.createCombiner();
    further = aggregator.mergeValue();
  }

  @Override
  public void add(int partition, K key, V value) {
    adding = value;
    map.changeValue(new Tuple2<>(partition, key), update);
    adding = null;
  }

  @SuppressWarnings("NullAway") // A record's value may be null, and so may what it is combined to.
  private C combined(Object hasOne, C before) {
    return (Boolean) hasOne ? further.apply(before, adding) : first.apply(adding);
  }

  @Override
  public long estimatedBytes() {
    return map.estimateSize();
  }

  @Override
  public boolean isEmpty() {
    return map.isEmpty();
  }

  /** In no order of keys: that is the reader's affair, who has those of all maps. */
  @Override
  public Iterator<Tuple2<Tuple2<Object, K>, C>> drain() {
    PartitionedAppendOnlyMap<K, C> full = map;
    map = new PartitionedAppendOnlyMap<>();
    return full.partitionedDestructiveSortedIterator(Option.empty());
  }
}
