package org.apache.spark.shuffle.sluice.write;

import io.sluice.client.MapOutput;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContext$;
import org.apache.spark.executor.TaskMetrics;

/** What Spark is told, for tests that do not look at it. */
final class Metrics {
  private Metrics() {}

  static WriteProgress progress(MapOutput output) {
    return progress(output, TaskContext$.MODULE$.empty());
  }

  /** Of a task that may be killed. */
  static WriteProgress progress(MapOutput output, TaskContext task) {
    return new WriteProgress(output, TaskMetrics.empty().shuffleWriteMetrics(), task);
  }
}
