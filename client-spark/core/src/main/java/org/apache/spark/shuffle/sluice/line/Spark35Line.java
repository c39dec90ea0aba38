package org.apache.spark.shuffle.sluice.line;

import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.scheduler.MapStatus$;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.util.collection.ExternalSorter;
import scala.Option;
import scala.math.Ordering;

/**
 * Spark 3.5, which all of this module is compiled against, and 4.0, which is the same as far as we
 * call it: map statuses have no checksum yet.
 */
public final class Spark35Line implements SparkLine {
  @Override
  public String name() {
    return "3.5 and 4.0";
  }

  @Override
  public boolean covers(String sparkVersion) {
    return SparkLine.isOf(sparkVersion, "3.5") || SparkLine.isOf(sparkVersion, "4.0");
  }

  @Override
  public RowChecksums rowChecksums(ShuffleDependency<?, ?, ?> dependency) {
    return RowChecksums.NONE;
  }

  @Override
  public MapStatus mapStatus(
      BlockManagerId location, long[] sizes, long attemptId, long rowChecksum) {
    return MapStatus$.MODULE$.apply(location, sizes, attemptId);
  }

  @Override
  public <K, V, C> ExternalSorter<K, V, C> sorter(
      TaskContext context, Option<Ordering<K>> ordering, Serializer serializer) {
    return new ExternalSorter<>(context, Option.empty(), Option.empty(), ordering, serializer);
  }
}
