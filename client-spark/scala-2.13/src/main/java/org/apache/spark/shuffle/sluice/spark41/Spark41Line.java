package org.apache.spark.shuffle.sluice.spark41;

import org.apache.spark.Aggregator;
import org.apache.spark.Partitioner;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.scheduler.MapStatus$;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.shuffle.checksum.RowBasedChecksum;
import org.apache.spark.shuffle.sluice.line.RowChecksums;
import org.apache.spark.shuffle.sluice.line.SparkLine;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.util.collection.ExternalSorter;
import scala.Option;
import scala.math.Ordering;

/** Spark 4.1 and 4.2: map statuses carry a checksum of the map's rows. */
public final class Spark41Line implements SparkLine {
  @Override
  public String name() {
    return "4.1 and 4.2";
  }

  /** Later lines only once they were tested: a checksum that is not theirs gives wrong rows. */
  @Override
  public boolean covers(String sparkVersion) {
    return SparkLine.isOf(sparkVersion, "4.1") || SparkLine.isOf(sparkVersion, "4.2");
  }

  @Override
  public RowChecksums rowChecksums(ShuffleDependency<?, ?, ?> dependency) {
    return dependency.rowBasedChecksums().length == 0
        ? RowChecksums.NONE
        : new PartitionChecksums(dependency.rowBasedChecksums());
  }

  @Override
  public MapStatus mapStatus(
      BlockManagerId location, long[] sizes, long attemptId, long rowChecksum) {
    return MapStatus$.MODULE$.apply(location, sizes, attemptId, rowChecksum);
  }

  @Override
  public <K, V, C> ExternalSorter<K, V, C> sorter(
      TaskContext context,
      Option<Aggregator<K, V, C>> aggregator,
      Option<Partitioner> partitioner,
      Option<Ordering<K>> ordering,
      Serializer serializer) {
    return new ExternalSorter<>(
        context, aggregator, partitioner, ordering, serializer, new RowBasedChecksum[0]);
  }
}
