package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.ClientConfig;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;

/** What tasks that read have of Spark's memory; one that left any would fail (SparkSide). */
class ReadMemoryTest {
  private static final int ROWS = 50_000;

  @Test
  void isCountedWhileATaskReadsAndGoneWhenItHasRead() {
    SparkSide.throughHeap(
        Map.of(),
        spark -> {
          List<long[]> tasks = rows(spark).mapPartitions(ReadMemoryTest::counted).collect();
          assertThat(tasks).hasSize(3);
          for (long[] counted : tasks) {
            assertThat(counted[0])
                .as("while rows are read")
                .isGreaterThan(ClientConfig.LEAST_READER_CREDIT_BYTES);
            assertThat(counted[1]).as("when the reader has ended").isZero();
          }
          return tasks;
        });
  }

  private static Iterator<long[]> counted(Iterator<Integer> rows) {
    long reading = 0;
    while (rows.hasNext()) {
      rows.next();
      reading = Math.max(reading, counted());
    }
    return List.of(new long[] {reading, counted()}).iterator();
  }

  private static long counted() {
    return TaskContext.get().taskMemoryManager().getMemoryConsumptionForThisTask();
  }

  @Test
  void isGivenBackByATaskThatStopsReading() {
    SparkSide.throughHeap(
        Map.of(),
        spark -> {
          assertThat(rows(spark).mapPartitions(rows -> List.of(rows.next()).iterator()).collect())
              .hasSize(3);
          assertThat(rows(spark).take(2)).hasSize(2);
          return spark;
        });
  }

  /** The rows are read on a thread of the pipe's. */
  @Test
  void isGivenBackByTasksThatReadOnAnotherThread() {
    SparkSide.throughHeap(
        Map.of(),
        spark -> {
          assertThat(rows(spark).pipe("cat").count()).isEqualTo(ROWS);
          assertThat(rows(spark).pipe("cat").take(1)).hasSize(1);
          return spark;
        });
  }

  private static JavaRDD<Integer> rows(SparkSession spark) {
    return new JavaSparkContext(spark.sparkContext())
        .parallelize(IntStream.range(0, ROWS).boxed().collect(Collectors.toList()), 2)
        .repartition(3);
  }
}
