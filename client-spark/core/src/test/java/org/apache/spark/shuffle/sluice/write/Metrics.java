package org.apache.spark.shuffle.sluice.write;

import io.sluice.client.MapOutput;
import org.apache.spark.executor.TaskMetrics;

/** What Spark is told, for tests that do not look at it. */
final class Metrics {
  private Metrics() {}

  static WriteProgress progress(MapOutput output) {
    return new WriteProgress(output, TaskMetrics.empty().shuffleWriteMetrics());
  }
}
