package io.sluice.integration.job;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.udf;

import java.util.Random;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;

/** Rows of many bytes that do not compress, the same each time they are made. */
final class LongRows {
  private LongRows() {}

  /** Columns {@code id} and {@code bytes}. */
  static Dataset<Row> make(SparkSession spark, long rows, int maps, int bytesEach) {
    UDF1<Long, byte[]> bytes =
        id -> {
          byte[] made = new byte[bytesEach];
          new Random(id).nextBytes(made);
          return made;
        };
    return spark
        .range(0, rows, 1, maps)
        .select(col("id"), udf(bytes, DataTypes.BinaryType).apply(col("id")).as("bytes"));
  }
}
