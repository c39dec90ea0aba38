package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.Tuple2;

/** Map tasks that fail in the middle of their records. */
class FailedMapsTest {
  private static final int RECORDS = 1_000;

  // To Spark's own memory manager running out is an Error too, for which Spark stops no writer.
  @ParameterizedTest
  @CsvSource({"200, false", "200, true", "201, false", "201, true"})
  void giveBackAllThatTheyHold(int partitions, boolean error) throws Exception {
    SparkSession spark = SparkSide.heap(Map.of());
    try {
      long sum =
          new JavaSparkContext(spark.sparkContext())
                  .parallelize(IntStream.range(0, RECORDS).boxed().collect(Collectors.toList()), 2)
                  .mapToPair(
                      i -> {
                        if (i == RECORDS - 10 && TaskContext.get().attemptNumber() == 0) {
                          fail(error);
                        }
                        return new Tuple2<>(i, i);
                      })
                  .partitionBy(new HashPartitioner(partitions))
                  .values()
                  .collect()
                  .stream()
                  .mapToLong(Integer::longValue)
                  .sum();
      assertThat(sum).isEqualTo(RECORDS * (RECORDS - 1L) / 2);
      assertThat(HeapShuffleManager.currentStore().openOutputs()).isZero();
    } finally {
      spark.stop();
    }
  }

  private static void fail(boolean error) {
    if (error) {
      throw new AssertionError("on purpose");
    }
    throw new IllegalStateException("on purpose");
  }
}
