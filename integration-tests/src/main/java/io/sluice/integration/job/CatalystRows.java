package io.sluice.integration.job;

import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;

/** Rows as Spark has them inside, on every line of Spark. */
final class CatalystRows {
  private CatalystRows() {}

  /** From Spark 4 on only a class below {@code SparkSession} can make it, which 3.5 is without. */
  @SuppressWarnings("unchecked")
  static Dataset<Row> dataset(SparkSession spark, JavaRDD<InternalRow> rows, StructType schema) {
    try {
      return (Dataset<Row>)
          spark
              .getClass()
              .getMethod("internalCreateDataFrame", RDD.class, StructType.class, boolean.class)
              .invoke(spark, rows.rdd(), schema, false);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(spark.getClass() + " takes no such rows", e);
    }
  }
}
