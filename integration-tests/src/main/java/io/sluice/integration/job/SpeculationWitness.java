package io.sluice.integration.job;

import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskStart;

/** Says so on standard output when Spark starts a second copy of a running task. */
final class SpeculationWitness extends SparkListener {
  @Override
  public void onTaskStart(SparkListenerTaskStart start) {
    if (start.taskInfo().speculative()) {
      System.out.println("started a speculative copy of map " + start.taskInfo().index());
    }
  }
}
