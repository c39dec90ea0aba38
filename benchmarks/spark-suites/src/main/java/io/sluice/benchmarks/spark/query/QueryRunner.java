package io.sluice.benchmarks.spark.query;

import io.sluice.benchmarks.job.Leftovers;
import io.sluice.benchmarks.job.Stopwatch;
import io.sluice.benchmarks.job.TaskTotals;
import io.sluice.benchmarks.queries.QueryAnswer;
import io.sluice.benchmarks.queries.QueryRequest;
import io.sluice.benchmarks.queries.ResultRows;
import io.sluice.benchmarks.spark.tpc.TpcData;
import io.sluice.cli.spark.TaskFigures;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.jspecify.annotations.Nullable;

/** Runs queries in one session, one at a time. */
final class QueryRunner {
  private final SparkSession spark;
  private final Leftovers leftovers;

  QueryRunner(SparkSession spark) {
    this.spark = spark;
    leftovers = new Leftovers(spark);
  }

  QueryAnswer run(QueryRequest request) throws IOException, InterruptedException, TimeoutException {
    if (request.kind() == QueryRequest.Kind.OPEN) {
      TpcData.of(spark, request.suite(), request.scale(), request.data()).open();
      return new QueryAnswer(0, 0, 0, 0);
    }
    return query(request);
  }

  /** Runs one query, then lets go of its shuffles, outside the time that is measured. */
  private QueryAnswer query(QueryRequest request)
      throws IOException, InterruptedException, TimeoutException {
    TaskTotals totals = new TaskTotals();
    spark.sparkContext().addSparkListener(totals);
    try {
      return answer(request, totals);
    } finally {
      spark.sparkContext().removeSparkListener(totals);
      leftovers.drop();
    }
  }

  /** In a frame of its own, since whatever holds the result holds its shuffles. */
  private QueryAnswer answer(QueryRequest request, TaskTotals totals)
      throws IOException, TimeoutException {
    spark.conf().set("spark.sql.adaptive.enabled", request.adaptive());
    String sql = Files.readString(request.sql());
    Stopwatch watch = new Stopwatch();
    Dataset<Row> result = spark.sql(sql);
    List<Row> rows = result.collectAsList();
    long wallNanos = watch.elapsedNanos();
    spark.sparkContext().listenerBus().waitUntilEmpty();
    rows(result, rows).write(request.output());
    TaskFigures tasks = totals.figures();
    return new QueryAnswer(wallNanos, rows.size(), tasks.shuffleBytes(), tasks.shuffleRecords());
  }

  private static ResultRows rows(Dataset<Row> result, List<Row> rows) {
    List<Boolean> approximate = new ArrayList<>();
    for (StructField field : result.schema().fields()) {
      DataType type = field.dataType();
      approximate.add(type.equals(DataTypes.DoubleType) || type.equals(DataTypes.FloatType));
    }
    List<List<@Nullable String>> texts = new ArrayList<>();
    for (Row row : rows) {
      List<@Nullable String> cells = new ArrayList<>();
      for (int i = 0; i < row.length(); i++) {
        cells.add(text(row.get(i)));
      }
      texts.add(cells);
    }
    return new ResultRows(approximate, SortKeys.of(result), texts);
  }

  private static @Nullable String text(@Nullable Object value) {
    if (value == null) {
      return null;
    }
    return value instanceof BigDecimal decimal ? decimal.toPlainString() : value.toString();
  }
}
