package io.sluice.integration.job;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.pmod;
import static org.apache.spark.sql.functions.sum;

import io.sluice.benchmarks.job.Executions;
import io.sluice.cli.spark.Fingerprint;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** Rows in a thousand groups by a hash, and what is in the groups. */
final class HashedGroups {
  private final Dataset<Row> groups;

  HashedGroups(Dataset<Row> rows, Column hash) {
    // Sums wrap around silently, which is what a fingerprint wants.
    groups =
        rows.select(hash.as("hash"))
            .groupBy(pmod(col("hash"), lit(1000)).as("bucket"))
            .agg(count(lit(1)).as("rows"), sum(col("hash")).as("sum"));
  }

  /** Runs the query. */
  Fingerprint digest() {
    long count = 0;
    long sum = 0;
    long xor = 0;
    for (Row group : groups.collectAsList()) {
      count += group.getLong(1);
      sum += group.getLong(2);
      xor ^= group.getLong(2) * 31 + group.getLong(0);
    }
    return new Fingerprint(count, sum, xor, true);
  }

  /** What the query ran as, once it has. */
  String plan() {
    return Executions.of(groups).executedPlan().toString();
  }
}
