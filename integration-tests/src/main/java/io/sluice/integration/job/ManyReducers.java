package io.sluice.integration.job;

import static org.apache.spark.sql.functions.col;

import io.sluice.benchmarks.job.Executions;
import io.sluice.cli.spark.Fingerprint;
import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;

/** Shuffles into more partitions than a test can run tasks for. */
final class ManyReducers {
  /** Workload: of all reduce tasks some run, each for one partition. */
  static final String SOME = "some reducers";

  /** Workload: adaptive execution has each task read a range of partitions. */
  static final String RANGES = "ranges of reducers";

  private static final int SOME_TASKS = 250;
  private static final String RANGE = "4m";

  private ManyReducers() {}

  /** A session whose shuffles have so many partitions, joined to ranges behind each. */
  static SparkSession adaptive(SparkSession spark, int partitions) {
    SparkSession session = spark.newSession();
    session.conf().set("spark.sql.shuffle.partitions", partitions);
    session.conf().set("spark.sql.adaptive.coalescePartitions.parallelismFirst", false);
    session.conf().set("spark.sql.adaptive.advisoryPartitionSizeInBytes", RANGE);
    return session;
  }

  /** A session whose partitions stay as they are. */
  static SparkSession separate(SparkSession spark) {
    SparkSession session = spark.newSession();
    session.conf().set("spark.sql.adaptive.enabled", false);
    return session;
  }

  /** What is in some partitions that lie evenly, the first and the last among them. */
  static Fingerprint some(Dataset<Row> rows, int partitions) {
    JavaRDD<InternalRow> shuffled =
        Executions.of(rows.repartition(partitions, col("key"))).toRdd().toJavaRDD();
    int[] chosen =
        IntStream.rangeClosed(0, SOME_TASKS)
            .map(task -> (int) ((partitions - 1L) * task / SOME_TASKS))
            .toArray();
    long count = 0;
    long sum = 0;
    long xor = 0;
    for (List<Digest> of :
        shuffled.mapPartitionsWithIndex(DIGEST, true).collectPartitions(chosen)) {
      for (Digest digest : of) {
        count += digest.rows;
        sum += digest.sum;
        xor ^= digest.xor;
      }
    }
    return new Fingerprint(count, sum, xor, true);
  }

  private static final Function2<Integer, Iterator<InternalRow>, Iterator<Digest>> DIGEST =
      (partition, rows) -> List.of(Digest.of(partition, rows)).iterator();

  /** Of a partition; a row counts as another one in another partition. */
  private static final class Digest implements Serializable {
    private static final long serialVersionUID = 1;

    private long rows;
    private long sum;
    private long xor;

    static Digest of(int partition, Iterator<InternalRow> rows) {
      Digest digest = new Digest();
      while (rows.hasNext()) {
        InternalRow row = rows.next();
        long hash = partition;
        for (int column = 0; column < row.numFields(); column++) {
          hash = Long.rotateLeft((hash ^ row.getLong(column)) * 0x9E37_79B9_7F4A_7C15L, 31);
        }
        digest.rows++;
        digest.sum += hash;
        digest.xor ^= hash;
      }
      return digest;
    }
  }
}
