package io.sluice.integration.job;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.ExecutorAllocationClient;
import org.apache.spark.SparkContext;
import org.apache.spark.Success$;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import scala.Option;

/** Decommissions the executor that ends a certain map, which then leaves when it has no task. */
final class Decommissioning extends SparkListener {
  /** The map, counted by their ends from 1. */
  static final String MAP = "spark.faults.decommission.map";

  private final SparkContext context;
  private final AtomicInteger mapsLeft;

  Decommissioning(SparkContext context, int map) {
    this.context = context;
    this.mapsLeft = new AtomicInteger(map);
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    if (end.taskType().equals("ShuffleMapTask")
        && end.reason() == Success$.MODULE$
        && mapsLeft.decrementAndGet() == 0) {
      decommission(end.taskInfo().executorId());
    }
  }

  private void decommission(String executor) {
    ExecutorAllocationClient executors = (ExecutorAllocationClient) context.schedulerBackend();
    ExecutorDecommissionInfo why = new ExecutorDecommissionInfo("on purpose", Option.empty());
    if (executors.decommissionExecutor(executor, why, false, false)) {
      System.out.println("executor " + executor + " is decommissioned");
    }
  }
}
