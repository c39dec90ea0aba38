package io.sluice.benchmarks.spark.tpc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** The tables of one suite at one scale, in a folder of Parquet. One thread's. */
public final class TpcData {
  /** There once all tables are. */
  private static final String COMPLETE = "_COMPLETE";

  private final SparkSession spark;
  private final List<TpcTable> tables;
  private final double scale;
  private final Path folder;

  private TpcData(SparkSession spark, List<TpcTable> tables, double scale, Path folder) {
    this.spark = spark;
    this.tables = tables;
    this.scale = scale;
    this.folder = folder;
  }

  /**
   * Names data; makes nothing.
   *
   * @param suite {@code tpcds} or {@code tpch}
   * @param folder of this suite and scale alone
   */
  public static TpcData of(SparkSession spark, String suite, double scale, Path folder) {
    List<TpcTable> tables =
        switch (suite) {
          case "tpcds" -> TpcdsTable.all();
          case "tpch" -> TpchDataTable.all();
          default -> throw new IllegalArgumentException("no such suite: " + suite);
        };
    return new TpcData(spark, tables, scale, folder);
  }

  /** Makes what is not there yet, and gives every table its name in the session. */
  public void open() throws IOException {
    if (!Files.exists(folder.resolve(COMPLETE))) {
      for (TpcTable table : tables) {
        write(table);
      }
      Files.createFile(folder.resolve(COMPLETE));
    }
    for (TpcTable table : tables) {
      spark.read().parquet(path(table)).createOrReplaceTempView(table.name());
    }
  }

  /** Nothing is shuffled: each task makes one part and writes it. */
  private void write(TpcTable table) {
    JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
    int parts = context.defaultParallelism();
    List<Integer> numbers = IntStream.rangeClosed(1, parts).boxed().toList();
    double factor = scale;
    JavaRDD<Row> rows =
        context.parallelize(numbers, parts).flatMap(part -> table.rows(factor, part, parts));
    spark.createDataFrame(rows, table.schema()).write().mode("overwrite").parquet(path(table));
  }

  private String path(TpcTable table) {
    return folder.resolve(table.name()).toUri().toString();
  }
}
