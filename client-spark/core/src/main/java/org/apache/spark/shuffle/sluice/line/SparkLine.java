package org.apache.spark.shuffle.sluice.line;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.storage.BlockManagerId;

/**
 * Calls into Spark whose signatures differ between its lines. Implemented by one thin module per
 * line, found as a service. Immutable, thread-safe.
 */
public interface SparkLine {
  /** For messages, such as "3.5". */
  String name();

  /** Whether this line covers a Spark version such as "3.5.9". */
  boolean covers(String sparkVersion);

  /**
   * A map task's result.
   *
   * @param sizes bytes by partition; at least 1 wherever there are records
   * @param attemptId Spark's task attempt id, which is the map's id
   */
  MapStatus mapStatus(BlockManagerId location, long[] sizes, long attemptId);

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
        "this Sluice jar serves Spark " + known + ", but Spark is " + sparkVersion);
  }
}
