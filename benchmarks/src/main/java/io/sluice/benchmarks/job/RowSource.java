package io.sluice.benchmarks.job;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.concat;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.lpad;
import static org.apache.spark.sql.functions.pmod;
import static org.apache.spark.sql.functions.xxhash64;

import io.sluice.cli.spark.JobRequest;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Input made where it is used, in the map tasks, from nothing but the row's number: the same for
 * every shuffle manager, no disk, no cache. It is inside what is timed; it costs both sides the
 * same, about a hash and a dozen multiplications a row.
 */
final class RowSource {
  /** Odd, so that multiplying by it maps 64 bits to 64 bits one to one: Knuth's 2^64 / phi. */
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private RowSource() {}

  /**
   * Rows of {@code id}, {@code key} and twelve longs: 8 + 14 × 8 = 120 bytes as Spark holds them.
   * Incompressible: all but the id are random bits. Compressible: small numbers, as measures and
   * foreign keys are.
   */
  static Dataset<Row> wide(SparkSession spark, JobRequest request) {
    Column key = col("key");
    List<Column> columns = new ArrayList<>(List.of(col("id"), key));
    for (int i = 0; i < 12; i++) {
      Column random = key.multiply(lit(GOLDEN + 2L * i));
      Column value = request.compressible() ? pmod(random, lit(10L + 5L * i)) : random;
      columns.add(value.as("c" + i));
    }
    return keyed(spark, request).select(columns.toArray(Column[]::new));
  }

  /** Records as terasort has them: a random key of 10 bytes and a payload of 90. */
  static Dataset<Row> records(SparkSession spark, JobRequest request) {
    Column key =
        concat(
            col("key").cast("binary"),
            col("key").multiply(lit(GOLDEN)).cast("smallint").cast("binary"));
    Column payload;
    if (request.compressible()) {
      payload = lpad(col("id").cast("string"), 90, "compressible ").cast("binary");
    } else {
      List<Column> words = new ArrayList<>();
      for (int i = 0; i < 11; i++) {
        words.add(col("key").multiply(lit(GOLDEN + 2L * i)).cast("binary"));
      }
      words.add(col("id").cast("smallint").cast("binary"));
      payload = concat(words.toArray(Column[]::new));
    }
    return keyed(spark, request).select(key.as("key"), payload.as("payload"));
  }

  /** What facts are joined with: {@code other} from 0 to {@code rows}, its region and a name. */
  static Dataset<Row> dimension(SparkSession spark, long rows, int maps) {
    Column hash = xxhash64(col("id"));
    Column name = concat(lit("name-"), pmod(hash, lit(1000L)).cast("string"));
    return spark
        .range(0, rows, 1, maps)
        .select(
            col("id").as("other"),
            pmod(hash, lit(100L)).as("region"),
            hash.as("weight"),
            name.as("name"));
  }

  private static Dataset<Row> keyed(SparkSession spark, JobRequest request) {
    return spark
        .range(0, request.rows(), 1, request.maps())
        .select(col("id"), xxhash64(col("id")).as("key"));
  }
}
