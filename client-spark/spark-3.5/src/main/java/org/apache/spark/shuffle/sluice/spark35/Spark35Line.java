package org.apache.spark.shuffle.sluice.spark35;

import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.scheduler.MapStatus$;
import org.apache.spark.shuffle.sluice.line.SparkLine;
import org.apache.spark.storage.BlockManagerId;

/** Spark 3.5: map statuses have no checksum yet. */
public final class Spark35Line implements SparkLine {
  @Override
  public String name() {
    return "3.5";
  }

  @Override
  public boolean covers(String sparkVersion) {
    return sparkVersion.equals("3.5") || sparkVersion.startsWith("3.5.");
  }

  @Override
  public MapStatus mapStatus(BlockManagerId location, long[] sizes, long attemptId) {
    return MapStatus$.MODULE$.apply(location, sizes, attemptId);
  }
}
