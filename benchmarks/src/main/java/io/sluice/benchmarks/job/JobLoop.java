package io.sluice.benchmarks.job;

import io.sluice.cli.spark.JobRequest;
import org.apache.spark.sql.SparkSession;

/** A driver that runs the {@link JobRequest}s on its standard input. */
public final class JobLoop {
  private JobLoop() {}

  /** Takes no arguments: everything is in Spark's configuration and on standard input. */
  public static void main(String[] args) throws InterruptedException {
    SparkSession spark = SparkSession.builder().getOrCreate();
    try {
      JobRunner runner = new JobRunner(spark);
      RequestLoop.run(spark, line -> runner.run(JobRequest.parse(line)).format());
    } finally {
      spark.stop();
    }
  }
}
