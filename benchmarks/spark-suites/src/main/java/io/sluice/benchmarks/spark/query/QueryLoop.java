package io.sluice.benchmarks.spark.query;

import io.sluice.benchmarks.job.RequestLoop;
import io.sluice.benchmarks.queries.QueryRequest;
import org.apache.spark.sql.SparkSession;

/** A driver that runs the {@link QueryRequest}s on its standard input. */
public final class QueryLoop {
  private QueryLoop() {}

  /** Takes no arguments: everything is in Spark's configuration and on standard input. */
  public static void main(String[] args) throws InterruptedException {
    SparkSession spark = SparkSession.builder().getOrCreate();
    try {
      QueryRunner runner = new QueryRunner(spark);
      RequestLoop.run(spark, line -> runner.run(QueryRequest.parse(line)).format());
    } finally {
      spark.stop();
    }
  }
}
