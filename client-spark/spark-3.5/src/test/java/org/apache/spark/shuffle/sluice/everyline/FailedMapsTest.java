package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.Tuple2;

/** Map tasks that fail in the middle of their records. */
class FailedMapsTest {
  private static final int RECORDS = 1_000;
  private static final int TEXTS = 10_000;

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

  /** Of records that are serialised at once: in pages, and in streams. */
  @ParameterizedTest
  @CsvSource({"Kryo, false", "Java, true"})
  void tellWhatTheyHadPushed(String serializer, boolean error) throws Exception {
    SparkSession spark =
        SparkSide.heap(
            Map.of(
                "spark.serializer",
                "org.apache.spark.serializer." + serializer + "Serializer",
                "spark.sluice.write.buffer",
                "2m",
                "spark.sluice.block.size",
                "16k"));
    try {
      TaskLog log = failOnce(spark, 2, error);
      List<TaskMetrics> failed = log.failedMaps(spark);
      assertThat(failed).hasSize(1);
      assertThat(failed.get(0).shuffleWriteMetrics().bytesWritten()).isPositive();
      // Of a map's half but the last ten, less what 2 MiB have room for.
      assertThat(failed.get(0).shuffleWriteMetrics().recordsWritten())
          .isBetween(TEXTS / 2 - 2_500L, TEXTS / 2 - 10L);
      assertThat(
              log.finishedMapMetrics(spark).stream()
                  .mapToLong(metrics -> metrics.shuffleWriteMetrics().recordsWritten())
                  .sum())
          .isEqualTo(TEXTS);
    } finally {
      spark.stop();
    }
  }

  /** Of objects, which go to servers and not to files. */
  @Test
  void tellWhatTheyHadSpilled() throws Exception {
    SparkSession spark =
        SparkSide.heap(Map.of("spark.shuffle.spill.numElementsForceSpillThreshold", "1000"));
    try {
      TaskLog log = failOnce(spark, 201, false);
      List<TaskMetrics> failed = log.failedMaps(spark);
      assertThat(failed).hasSize(1);
      assertThat(failed.get(0).memoryBytesSpilled()).isPositive();
      assertThat(failed.get(0).diskBytesSpilled()).isZero();
      assertThat(failed.get(0).peakExecutionMemory()).isPositive();
      assertThat(failed.get(0).shuffleWriteMetrics().bytesWritten()).isPositive();
    } finally {
      spark.stop();
    }
  }

  /** Texts of a thousand characters, of which two maps have half each; the second one fails. */
  private static TaskLog failOnce(SparkSession spark, int partitions, boolean error) {
    TaskLog log = new TaskLog();
    spark.sparkContext().addSparkListener(log);
    long count =
        new JavaSparkContext(spark.sparkContext())
            .parallelize(IntStream.range(0, TEXTS).boxed().collect(Collectors.toList()), 2)
            .mapToPair(
                i -> {
                  if (i == TEXTS - 10 && TaskContext.get().attemptNumber() == 0) {
                    fail(error);
                  }
                  return new Tuple2<>(i, (i + " ").repeat(1_000).substring(0, 1_000));
                })
            .partitionBy(new HashPartitioner(partitions))
            .count();
    assertThat(count).isEqualTo(TEXTS);
    return log;
  }

  private static void fail(boolean error) {
    if (error) {
      throw new AssertionError("on purpose");
    }
    throw new IllegalStateException("on purpose");
  }
}
