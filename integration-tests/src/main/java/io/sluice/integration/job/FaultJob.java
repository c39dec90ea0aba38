package io.sluice.integration.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.xxhash64;

import io.sluice.benchmarks.job.Executions;
import io.sluice.cli.spark.Fields;
import io.sluice.cli.spark.Fingerprint;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.JobResult;
import io.sluice.cli.spark.TaskFigures;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.jspecify.annotations.Nullable;

/**
 * Groups rows by a key over a shuffle, with faults as configured, and digests the groups. Speaks
 * the same lines over standard streams as the benchmark driver.
 */
public final class FaultJob {
  /** The workload whose last stage reads two shuffles, one after the other. */
  private static final String TWO_SHUFFLES = "two-shuffles";

  private static final int GROUP_PARTITIONS_MAX = 8;

  /** Of all columns, so that none is pruned before a shuffle. */
  private static final Column HASH = xxhash64(col("id"), col("key"), col("a"), col("b"));

  /** A fault begins while a listener waits, and may have to copy a disk. */
  private static final long LISTENERS_MILLIS = 60_000;

  private final SparkSession spark;
  private final MapFault fault;
  private final List<Long> counted;
  // Where a test listens that lets tasks go on; 0 if none does.
  private final int gate;
  // Of each row, if rows are to be as long as that; 0 if not.
  private final int rowBytes;
  // Whether rows are read again once all executors have left; null if not.
  private final @Nullable ExecutorWitness executors;

  private FaultJob(SparkSession spark) throws IOException {
    this.spark = spark;
    SparkConf conf = spark.sparkContext().getConf();
    this.fault = MapFault.valueOf(conf.get("spark.faults.map", "NONE"));
    this.gate = conf.getInt("spark.faults.gate.port", 0);
    this.rowBytes = conf.getInt("spark.faults.row.bytes", 0);
    this.counted =
        Arrays.stream(conf.get("spark.faults.census.pids", "").split(",", -1))
            .filter(pid -> !pid.isEmpty())
            .map(Long::valueOf)
            .toList();
    this.executors = conf.getBoolean("spark.faults.again", false) ? new ExecutorWitness() : null;
    if (executors != null) {
      spark.sparkContext().addSparkListener(executors);
    }
    if (conf.contains(Decommissioning.MAP)) {
      spark.sparkContext().addSparkListener(new ExecutorWitness());
      spark
          .sparkContext()
          .addSparkListener(
              new Decommissioning(spark.sparkContext(), conf.getInt(Decommissioning.MAP, 0)));
    }
    spark.sparkContext().addSparkListener(new SpeculationWitness());
    spark.sparkContext().addSparkListener(new StageWitness());
    if (conf.contains("spark.faults.flip.directory")) {
      spark
          .sparkContext()
          .addSparkListener(
              new SegmentFlipper(
                  Path.of(conf.get("spark.faults.flip.directory")),
                  conf.getInt("spark.faults.flip.afterTasks", 1)));
    }
    if (conf.contains(JobNews.PORT)) {
      spark.sparkContext().addSparkListener(new JobNews(conf));
    }
  }

  /** Takes no arguments: everything is in Spark's configuration and on standard input. */
  public static void main(String[] args) throws IOException {
    BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    PrintStream answers = new PrintStream(System.out, true, UTF_8);
    // Sums of hashes wrap around, which is an error by default from 4.0 on.
    SparkSession spark =
        SparkSession.builder().config("spark.sql.ansi.enabled", false).getOrCreate();
    try {
      FaultJob job = new FaultJob(spark);
      answers.println("@ready " + new Fields().put("spark", spark.version()));
      for (String line = requests.readLine(); line != null; line = requests.readLine()) {
        answers.println(job.answer(JobRequest.parse(line)));
      }
    } finally {
      spark.stop();
    }
  }

  private String answer(JobRequest request) {
    try {
      Fingerprint result = run(request);
      // So that everything listeners tell of this job is told before its result.
      spark.sparkContext().listenerBus().waitUntilEmpty(LISTENERS_MILLIS);
      return "@result " + new JobResult(result, 0, 0, TaskFigures.NONE).format();
    } catch (Exception failure) { // Scala throws checked SparkExceptions undeclared.
      failure.printStackTrace();
      return "@failure " + new Fields().put("message", String.valueOf(failure.getMessage()));
    }
  }

  private Fingerprint run(JobRequest request) {
    // The thousand groups need no more, however many partitions the rows go through.
    spark
        .conf()
        .set("spark.sql.shuffle.partitions", Math.min(request.partitions(), GROUP_PARTITIONS_MAX));
    if (rowBytes > 0) {
      Dataset<Row> rows = LongRows.make(spark, request.rows(), request.maps(), rowBytes);
      Dataset<Row> shuffled = rows.repartition(request.partitions(), col("id"));
      return digest(shuffled, xxhash64(col("id"), col("bytes")));
    }
    return switch (request.workload()) {
      case SmallShuffles.WORKLOAD -> SmallShuffles.run(spark.sparkContext(), request);
      case DealtRows.IN_ANY_ORDER, DealtRows.BY_HASH ->
          DealtRows.run(spark.sparkContext(), request, new TestGate(gate));
      case AdaptiveJoins.SKEWED, AdaptiveJoins.LOCAL -> AdaptiveJoins.run(spark, request);
      case ManyReducers.SOME ->
          ManyReducers.some(source(ManyReducers.separate(spark), request), request.partitions());
      case ManyReducers.RANGES -> {
        SparkSession adaptive = ManyReducers.adaptive(spark, request.partitions());
        yield digest(source(adaptive, request).repartition(col("key")), HASH);
      }
      case TWO_SHUFFLES -> twoShuffles(request);
      default -> withFaults(request);
    };
  }

  private Fingerprint twoShuffles(JobRequest request) {
    Dataset<Row> source = source(spark, request);
    Dataset<Row> others = source.withColumn("id", col("id").plus(request.rows()));
    return digest(
        source
            .repartition(request.partitions(), col("key"))
            .union(others.repartition(request.partitions(), col("a"))),
        HASH);
  }

  private Fingerprint withFaults(JobRequest request) {
    FaultyRows faults = new FaultyRows(fault, request.rows() / request.maps() / 2);
    Dataset<Row> rows =
        gated(
            counted(through(source(spark, request), faults), CountedRows.Side.MAP),
            CountedRows.Side.MAP,
            request.rows() / request.maps() / 2);
    Dataset<Row> shuffled =
        gated(
            counted(rows.repartition(request.partitions(), col("key")), CountedRows.Side.REDUCE),
            CountedRows.Side.REDUCE,
            1);
    Fingerprint result = digest(shuffled, HASH);
    if (executors != null) {
      executors.awaitNone();
      System.out.println("all executors have left");
      if (!digest(shuffled, HASH).equals(result)) {
        throw new IllegalStateException("the second time rows were others");
      }
    }
    return result;
  }

  /** Rows whose columns are all longs that do not compress. */
  static Dataset<Row> source(SparkSession spark, JobRequest request) {
    return spark
        .range(0, request.rows(), 1, request.maps())
        .select(
            col("id"),
            xxhash64(col("id")).as("key"),
            xxhash64(col("id"), lit(1)).as("a"),
            xxhash64(col("id"), lit(2)).as("b"));
  }

  private static Fingerprint digest(Dataset<Row> shuffled, Column hash) {
    return new HashedGroups(shuffled, hash).digest();
  }

  private Dataset<Row> counted(Dataset<Row> rows, CountedRows.Side side) {
    return counted.isEmpty() ? rows : through(rows, new CountedRows(side, counted));
  }

  private Dataset<Row> gated(Dataset<Row> rows, CountedRows.Side side, long afterRows) {
    return gate == 0 ? rows : through(rows, new GatedRows(new TestGate(gate), side, afterRows));
  }

  private Dataset<Row> through(
      Dataset<Row> rows, Function2<Integer, Iterator<InternalRow>, Iterator<InternalRow>> tap) {
    JavaRDD<InternalRow> tapped =
        Executions.of(rows).toRdd().toJavaRDD().mapPartitionsWithIndex(tap, true);
    return CatalystRows.dataset(spark, tapped, rows.schema());
  }
}
