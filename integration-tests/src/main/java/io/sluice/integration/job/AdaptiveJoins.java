package io.sluice.integration.job;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.pmod;
import static org.apache.spark.sql.functions.when;
import static org.apache.spark.sql.functions.xxhash64;

import io.sluice.cli.spark.Fingerprint;
import io.sluice.cli.spark.JobRequest;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Joins whose tasks read some maps of a shuffle instead of all, because adaptive execution says so
 * when it knows how large the shuffle has become. What they ran as is on standard output.
 */
final class AdaptiveJoins {
  /** Workload: six of ten rows are of one partition, which several tasks read by ranges of maps. */
  static final String SKEWED = "skewed join";

  /** Workload: one side is found small enough to be broadcast, the other is read map by map. */
  static final String LOCAL = "local join";

  /** A side of a join that is smaller than this is broadcast, and partitions that are not split. */
  private static final String SMALL = "1m";

  /** Of any count of rows that a test asks for. */
  private static final long NO_DIVISOR = 7;

  private static final Column HASH =
      xxhash64(col("id"), col("key"), col("a"), col("b"), col("join"), col("other"));

  private AdaptiveJoins() {}

  static Fingerprint run(SparkSession spark, JobRequest request) {
    boolean skewed = request.workload().equals(SKEWED);
    SparkSession session = session(spark, request, skewed);
    Dataset<Row> joined = skewed ? skewed(session, request) : local(session, request);
    HashedGroups groups = new HashedGroups(joined, HASH);
    Fingerprint result = groups.digest();
    System.out.println(request.workload() + " ran as " + groups.plan());
    return result;
  }

  private static SparkSession session(SparkSession spark, JobRequest request, boolean skewed) {
    SparkSession session = spark.newSession();
    session.conf().set("spark.sql.shuffle.partitions", request.partitions());
    session.conf().set("spark.sql.autoBroadcastJoinThreshold", "-1");
    session.conf().set("spark.sql.adaptive.autoBroadcastJoinThreshold", skewed ? "-1" : SMALL);
    session.conf().set("spark.sql.adaptive.advisoryPartitionSizeInBytes", SMALL);
    session.conf().set("spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes", SMALL);
    session.conf().set("spark.sql.adaptive.skewJoin.skewedPartitionFactor", "2");
    return session;
  }

  private static Dataset<Row> skewed(SparkSession spark, JobRequest request) {
    Column even = pmod(col("key"), lit(others(request)));
    Column skewed = when(pmod(col("id"), lit(10L)).lt(6), lit(0L)).otherwise(even);
    return FaultJob.source(spark, request)
        .withColumn("join", skewed)
        .join(numbers(spark, request, others(request)), "join");
  }

  /** Every hundredth row: how few are left is known only when one side has been shuffled. */
  private static Dataset<Row> local(SparkSession spark, JobRequest request) {
    Dataset<Row> few =
        numbers(spark, request, request.rows()).where(pmod(col("other"), lit(100L)).equalTo(7L));
    return FaultJob.source(spark, request).withColumn("join", col("id")).join(few, "join");
  }

  /** All below a count, once each; a filter of the other column says nothing about the number. */
  private static Dataset<Row> numbers(SparkSession spark, JobRequest request, long count) {
    return spark
        .range(0, count, 1, request.maps())
        .select(pmod(col("id").multiply(NO_DIVISOR), lit(count)).as("join"), col("id").as("other"));
  }

  private static long others(JobRequest request) {
    return request.rows() / 10;
  }
}
