package io.sluice.benchmarks.job;

import io.sluice.cli.spark.Fingerprint;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.JobResult;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Runs jobs in one session, one at a time. */
final class JobRunner {
  private final SparkSession spark;
  private final Leftovers leftovers;

  JobRunner(SparkSession spark) {
    this.spark = spark;
    leftovers = new Leftovers(spark);
  }

  /** Runs one job, then lets go of its shuffles, outside the time that is measured. */
  JobResult run(JobRequest request) throws InterruptedException, TimeoutException {
    spark.conf().set("spark.sql.shuffle.partitions", request.partitions());
    // The workloads mix bits by overflowing, which is an error by default from 4.0 on.
    spark.conf().set("spark.sql.ansi.enabled", false);
    Workload workload = Workload.named(request.workload());
    TaskTotals totals = new TaskTotals();
    spark.sparkContext().addSparkListener(totals);
    try {
      long driverGc = collectionMillis();
      Stopwatch watch = new Stopwatch();
      Fingerprint fingerprint = compute(workload, request);
      long wallNanos = watch.elapsedNanos();
      spark.sparkContext().listenerBus().waitUntilEmpty();
      long gcMillis =
          collectionMillis() - driverGc + (spark.sparkContext().isLocal() ? 0 : totals.gcMillis());
      return new JobResult(fingerprint, wallNanos, gcMillis, totals.figures());
    } finally {
      spark.sparkContext().removeSparkListener(totals);
      leftovers.drop();
    }
  }

  private Fingerprint compute(Workload workload, JobRequest request) {
    boolean sorted = workload.sortsByFirstColumn() && !request.inputOnly();
    Stream<Dataset<Row>> plans =
        request.inputOnly()
            ? Stream.of(workload.input(spark, request))
            : workload.plans(spark, request);
    return PartitionDigest.combine(plans.flatMap(rows -> digest(rows, sorted)).toList());
  }

  private static Stream<PartitionDigest> digest(Dataset<Row> rows, boolean sorted) {
    FingerprintTask task = new FingerprintTask(rows.schema(), sorted);
    return Executions.of(rows)
        .toRdd()
        .toJavaRDD()
        .mapPartitionsWithIndex(task, false)
        .collect()
        .stream();
  }

  private static long collectionMillis() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionTime)
        .sum();
  }
}
