package org.apache.spark.shuffle.sluice.everyline;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.spark.FetchFailed;
import org.apache.spark.Success$;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.SparkSession;

/** What became of every task. */
final class TaskLog extends SparkListener {
  private static final long DEADLINE_MILLIS = 30_000;

  private final List<SparkListenerTaskEnd> ends = new CopyOnWriteArrayList<>();

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    ends.add(end);
  }

  int finishedMaps(SparkSession spark) throws TimeoutException {
    return count(spark, end -> isMap(end) && end.reason() == Success$.MODULE$);
  }

  int fetchFailures(SparkSession spark) throws TimeoutException {
    return count(spark, end -> end.reason() instanceof FetchFailed);
  }

  int failedTasks(SparkSession spark) throws TimeoutException {
    return count(spark, end -> end.reason() != Success$.MODULE$);
  }

  /** What is known of the attempts of maps that failed. */
  List<TaskMetrics> failedMaps(SparkSession spark) throws TimeoutException {
    return maps(spark, end -> end.reason() != Success$.MODULE$);
  }

  /** What is known of those that did not. */
  List<TaskMetrics> finishedMapMetrics(SparkSession spark) throws TimeoutException {
    return maps(spark, end -> end.reason() == Success$.MODULE$);
  }

  private List<TaskMetrics> maps(SparkSession spark, Predicate<SparkListenerTaskEnd> which)
      throws TimeoutException {
    settle(spark);
    return ends.stream()
        .filter(TaskLog::isMap)
        .filter(which)
        .map(SparkListenerTaskEnd::taskMetrics)
        .collect(Collectors.toList());
  }

  /** Times that a stage of maps ran tasks. */
  int mapStageAttempts(SparkSession spark) throws TimeoutException {
    settle(spark);
    return (int)
        ends.stream()
            .filter(TaskLog::isMap)
            .map(end -> end.stageId() + "." + end.stageAttemptId())
            .distinct()
            .count();
  }

  private int count(SparkSession spark, Predicate<SparkListenerTaskEnd> which)
      throws TimeoutException {
    settle(spark);
    return (int) ends.stream().filter(which).count();
  }

  private static boolean isMap(SparkListenerTaskEnd end) {
    return end.taskType().equals("ShuffleMapTask");
  }

  private static void settle(SparkSession spark) throws TimeoutException {
    spark.sparkContext().listenerBus().waitUntilEmpty(DEADLINE_MILLIS);
  }
}
