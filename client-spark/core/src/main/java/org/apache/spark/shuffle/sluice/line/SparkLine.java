package org.apache.spark.shuffle.sluice.line;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.util.collection.ExternalSorter;
import scala.Option;
import scala.math.Ordering;

/**
 * Calls into Spark whose signatures differ between its lines. Each implementation is compiled
 * against one line and found as a service; a jar may hold several. Immutable, thread-safe.
 */
public interface SparkLine {
  /** For messages, such as "3.5". */
  String name();

  /** Whether this line covers a Spark version such as "3.5.9". */
  boolean covers(String sparkVersion);

  /**
   * Where one map attempt adds up what Spark wants to know of its rows. For one attempt, since the
   * sums lie in the dependency that came with its task.
   */
  RowChecksums rowChecksums(ShuffleDependency<?, ?, ?> dependency);

  /**
   * A map task's result.
   *
   * @param sizes bytes by partition; at least 1 wherever there are records
   * @param attemptId Spark's task attempt id, which is the map's id
   * @param rowChecksum see {@link RowChecksums#value}
   */
  MapStatus mapStatus(BlockManagerId location, long[] sizes, long attemptId, long rowChecksum);

  /** Spark's sorter, which only sorts by key. To be stopped by the caller. */
  <K, V, C> ExternalSorter<K, V, C> sorter(
      TaskContext context, Option<Ordering<K>> ordering, Serializer serializer);

  /**
   * The line for a running Spark.
   *
   * @throws SluiceException INVALID_CONFIGURATION if none of those on the class path covers it
   */
  static SparkLine of(String sparkVersion) {
    List<String> known = new ArrayList<>();
    for (SparkLine line : ServiceLoader.load(SparkLine.class, SparkLine.class.getClassLoader())) {
      if (line.covers(sparkVersion)) {
        return line;
      }
      known.add(line.name());
    }
    throw new SluiceException(
        ErrorCode.INVALID_CONFIGURATION,
        "this jar of Sluice's client serves Spark "
            + String.join(", ", known)
            + ", but Spark is "
            + sparkVersion
            + "; the jar for Scala 2.12 is sluice-client-spark-3.5_2.12, for Scala 2.13"
            + " sluice-client-spark_2.13");
  }

  /** Whether a version such as "3.5.9" is of a minor version such as "3.5". */
  static boolean isOf(String sparkVersion, String minorVersion) {
    return sparkVersion.equals(minorVersion) || sparkVersion.startsWith(minorVersion + ".");
  }
}
