package io.sluice.benchmarks.queries;

import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.spark.JobFailedException;
import io.sluice.cli.spark.SparkDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * One of the two shuffles: a warm driver, and where its results go.
 *
 * @param driver owned by whoever made this
 * @param directory for results; exists
 */
record QuerySide(String name, SparkDriver driver, Path directory) {
  private static final Duration DEADLINE = Duration.ofMinutes(15);

  /** What one run of a query gave and took. */
  record Ran(QueryAnswer answer, ResultRows rows) {}

  /** Makes the data, where it is not there yet, and names its tables. */
  void open(QuerySuite suite, double scale, Path data)
      throws ChildFailedException, JobFailedException, InterruptedException {
    driver.ask(QueryRequest.open(suite.name(), scale, data).format(), DEADLINE);
  }

  /** Runs a query once. */
  Ran run(Query query, boolean adaptive)
      throws IOException, ChildFailedException, JobFailedException, InterruptedException {
    Path sql = directory.resolve(query.fileName() + ".sql");
    Path output = directory.resolve(query.fileName() + ".rows");
    Files.writeString(sql, query.sql());
    Files.deleteIfExists(output);
    String answer = driver.ask(QueryRequest.query(sql, output, adaptive).format(), DEADLINE);
    return new Ran(QueryAnswer.parse(answer), ResultRows.read(output));
  }
}
