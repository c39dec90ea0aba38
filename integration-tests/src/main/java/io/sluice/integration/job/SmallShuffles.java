package io.sluice.integration.job;

import io.sluice.cli.spark.Fingerprint;
import io.sluice.cli.spark.JobRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** One small shuffle after the other, none of which goes before the last has been read. */
final class SmallShuffles {
  /** Workload: a shuffle for each thousand rows. */
  static final String WORKLOAD = "small shuffles";

  private static final int ROWS = 1_000;

  private SmallShuffles() {}

  static Fingerprint run(SparkContext context, JobRequest request) {
    // Spark removes what nobody holds any more.
    List<JavaPairRDD<Long, Long>> held = new ArrayList<>();
    long rows = 0;
    long sum = 0;
    long xor = 0;
    for (long first = 0; first < request.rows(); first += ROWS) {
      JavaPairRDD<Long, Long> shuffled = shuffled(context, request, first);
      held.add(shuffled);
      for (Tuple2<Long, Long> row : shuffled.collect()) {
        long hash = row._1() * 0x9E3779B97F4A7C15L ^ row._2();
        rows++;
        sum += hash;
        xor ^= hash;
      }
    }
    return new Fingerprint(rows, sum, xor, held.stream().allMatch(each -> each.id() >= 0));
  }

  private static JavaPairRDD<Long, Long> shuffled(
      SparkContext context, JobRequest request, long first) {
    List<Long> rows = LongStream.range(first, first + ROWS).boxed().collect(Collectors.toList());
    return new JavaSparkContext(context)
        .parallelize(rows, request.maps())
        .mapToPair(row -> new Tuple2<>(row, -row))
        .partitionBy(new HashPartitioner(request.partitions()));
  }
}
