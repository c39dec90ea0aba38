package io.sluice.benchmarks.queries;

import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.spark.JobFailedException;
import java.io.IOException;

/** One of the two shuffles. One thread. */
interface QuerySide extends AutoCloseable {
  /** What one run of a query gave and took. */
  record Ran(QueryAnswer answer, ResultRows rows) {}

  /** Makes the data, where it is not there yet, and names its tables. */
  void open(QueryTables tables)
      throws ChildFailedException, JobFailedException, InterruptedException;

  /** Runs a query once. */
  Ran run(Query query, boolean adaptive)
      throws IOException, ChildFailedException, JobFailedException, InterruptedException;

  /** Ends the driver behind it. */
  @Override
  void close();
}
