package io.sluice.benchmarks.queries;

import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.spark.JobFailedException;
import io.sluice.cli.spark.SparkDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A warm driver, and where its results go.
 *
 * @param driver owned by this
 * @param directory for results; exists
 */
record WarmDriver(SparkDriver driver, Path directory) implements QuerySide {
  private static final Duration DEADLINE = Duration.ofMinutes(15);

  @Override
  public void open(QueryTables tables)
      throws ChildFailedException, JobFailedException, InterruptedException {
    driver.ask(
        QueryRequest.open(tables.suite().name(), tables.scale(), tables.folder()).format(),
        DEADLINE);
  }

  @Override
  public Ran run(Query query, boolean adaptive)
      throws IOException, ChildFailedException, JobFailedException, InterruptedException {
    Path sql = directory.resolve(query.fileName() + ".sql");
    Path output = directory.resolve(query.fileName() + ".rows");
    Files.writeString(sql, query.sql());
    Files.deleteIfExists(output);
    String answer = driver.ask(QueryRequest.query(sql, output, adaptive).format(), DEADLINE);
    return new Ran(QueryAnswer.parse(answer), ResultRows.read(output));
  }

  @Override
  public void close() {
    driver.close();
  }
}
