package io.sluice.integration.job;

import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;

/** Says on standard output which stages run, how often, and with how many tasks. */
final class StageWitness extends SparkListener {
  @Override
  public void onStageSubmitted(SparkListenerStageSubmitted submitted) {
    System.out.println(
        "submitted attempt "
            + submitted.stageInfo().attemptNumber()
            + " of stage "
            + submitted.stageInfo().stageId()
            + " with "
            + submitted.stageInfo().numTasks()
            + " tasks");
  }
}
