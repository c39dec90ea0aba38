package io.sluice.integration.job;

import io.sluice.cli.spark.Fingerprint;
import io.sluice.cli.spark.JobRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * Rows that maps get from one shuffle and give to the readers of another, in another order each
 * time that they run. The first map has nearly all rows and gives some to every reader; each of the
 * others has one. What readers got is shuffled once more, so that they can be run again.
 */
final class DealtRows {
  /** Workload: each reader gets the next row, so that which rows it gets depends on their order. */
  static final String IN_ANY_ORDER = "dealt in any order";

  /** Workload: rows say which reader gets them, so that it gets the same ones again. */
  static final String BY_HASH = "dealt by hash";

  private static final int FIRST_MAPS = 3;
  private static final int LAST_PARTITIONS = 5;

  private DealtRows() {}

  /**
   * @param gate where each reader waits before it asks for its first row
   */
  static Fingerprint run(SparkContext context, JobRequest request, TestGate gate) {
    JavaRDD<Long> mixed = mixed(context, request);
    JavaRDD<Long> dealt =
        request.workload().equals(BY_HASH)
            ? byHash(mixed, request.partitions())
            : mixed.repartition(request.partitions());
    List<Long> rows =
        dealt
            .mapPartitionsWithIndex((reader, its) -> gated(gate, reader, its), false)
            .mapToPair(row -> new Tuple2<>(row, row))
            .partitionBy(new HashPartitioner(LAST_PARTITIONS))
            .values()
            .collect();
    return digest(rows);
  }

  private static JavaRDD<Long> mixed(SparkContext context, JobRequest request) {
    List<Long> rows = LongStream.range(0, request.rows()).boxed().collect(Collectors.toList());
    int maps = request.maps();
    return new JavaSparkContext(context)
        .parallelize(rows, FIRST_MAPS)
        .mapToPair(row -> new Tuple2<>(row < maps ? row : 0L, row))
        .partitionBy(new HashPartitioner(maps))
        .values()
        .mapPartitions(DealtRows::inAnotherOrderEachTime);
  }

  private static Iterator<Long> inAnotherOrderEachTime(Iterator<Long> rows) {
    List<Long> all = new ArrayList<>();
    rows.forEachRemaining(all::add);
    Collections.rotate(all, TaskContext.get().stageAttemptNumber());
    return all.iterator();
  }

  /** Whoever reads what was not coalesced asks servers before it is asked for a row. */
  private static JavaRDD<Long> byHash(JavaRDD<Long> rows, int readers) {
    return rows.mapToPair(row -> new Tuple2<>(row, row))
        .partitionBy(new HashPartitioner(readers))
        .values()
        .coalesce(readers);
  }

  private static Iterator<Long> gated(TestGate gate, int reader, Iterator<Long> rows) {
    gate.pass("REDUCE " + reader + " " + TaskContext.get().stageAttemptNumber());
    return rows;
  }

  private static Fingerprint digest(List<Long> rows) {
    long sum = 0;
    long xor = 0;
    for (long row : rows) {
      long hash = row * 0x9E37_79B9_7F4A_7C15L;
      sum += hash;
      xor ^= Long.rotateLeft(hash, 31);
    }
    return new Fingerprint(rows.size(), sum, xor, true);
  }
}
