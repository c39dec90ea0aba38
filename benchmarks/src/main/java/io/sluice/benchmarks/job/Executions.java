package io.sluice.benchmarks.job;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.execution.QueryExecution;

/** How rows are computed, on every line of Spark. */
public final class Executions {
  private Executions() {}

  /** From Spark 4 on only a class below {@code Dataset} has it, which 3.5 is without. */
  public static QueryExecution of(Dataset<?> rows) {
    try {
      return (QueryExecution) rows.getClass().getMethod("queryExecution").invoke(rows);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(rows.getClass() + " has no query execution", e);
    }
  }
}
