package org.apache.spark.shuffle.sluice.read;

import org.apache.spark.BarrierTaskContext;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;

/** How often Spark runs a task before it fails the job. Immutable. */
public final class TaskAttempts {
  private static final int DEFAULT = 4;

  private final int most;

  private TaskAttempts(int most) {
    this.most = most;
  }

  /**
   * As Spark is configured. In local mode there is one process, and one attempt if not said. Where
   * executors are excluded for failed attempts, Spark may give the job up before a task has failed
   * as often as it may, so each attempt may be the last.
   */
  public static TaskAttempts of(SparkConf conf) {
    String master = conf.get("spark.master", "");
    boolean local = master.startsWith("local") && !master.startsWith("local-cluster");
    boolean once = local || excludes(conf);
    return new TaskAttempts(once ? 1 : conf.getInt("spark.task.maxFailures", DEFAULT));
  }

  private static boolean excludes(SparkConf conf) {
    return conf.getBoolean("spark.excludeOnFailure.enabled", false)
        || conf.getBoolean("spark.excludeOnFailure.taskAndStage.enabled", false)
        || conf.getBoolean("spark.blacklist.enabled", false);
  }

  /**
   * Whether the job may fail if this attempt does: at the latest then, since attempts that do not
   * count as failures have numbers too. A barrier stage begins anew with the first attempt of each
   * task when one fails, and not for ever.
   */
  boolean isLast(TaskContext context) {
    return context instanceof BarrierTaskContext || context.attemptNumber() + 1 >= most;
  }
}
