package org.apache.spark.shuffle.sluice.spark41;

import java.util.List;
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

/** Spark 4.1 to 4.3: map statuses carry a checksum of the map's rows. */
public final class Spark41Line implements SparkLine {
  private static final List<String> LINES = List.of("4.1", "4.2", "4.3");

  @Override
  public String name() {
    return "4.1, 4.2 and 4.3";
  }

  /** Later lines only once they were tested: a checksum that is not theirs gives wrong rows. */
  @Override
  public boolean covers(String sparkVersion) {
    return LINES.stream().anyMatch(line -> SparkLine.isOf(sparkVersion, line));
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
      TaskContext context, Option<Ordering<K>> ordering, Serializer serializer) {
    return new ExternalSorter<>(
        context, Option.empty(), Option.empty(), ordering, serializer, new RowBasedChecksum[0]);
  }
}
