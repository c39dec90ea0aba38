package org.apache.spark.shuffle.sluice.read;

import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;

/** How often Spark runs a task before it fails the job. Immutable. */
public final class TaskAttempts {
  private static final int DEFAULT = 4;

  private final int most;

  private TaskAttempts(int most) {
    this.most = most;
  }

  /** As Spark is configured. In local mode there is one process, and one attempt if not said. */
  public static TaskAttempts of(SparkConf conf) {
    String master = conf.get("spark.master", "");
    boolean local = master.startsWith("local") && !master.startsWith("local-cluster");
    return new TaskAttempts(local ? 1 : conf.getInt("spark.task.maxFailures", DEFAULT));
  }

  /**
   * Whether the job may fail if this attempt does: at the latest then, since attempts that do not
   * count as failures have numbers too.
   */
  boolean isLast(TaskContext context) {
    return context.attemptNumber() + 1 >= most;
  }
}
