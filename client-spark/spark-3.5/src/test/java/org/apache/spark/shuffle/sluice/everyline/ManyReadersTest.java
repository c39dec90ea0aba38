package org.apache.spark.shuffle.sluice.everyline;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;

/** One task that opens hundreds of readers, one after the other. */
class ManyReadersTest {
  private static final int READERS = 300;
  private static final int ROWS = 3_000;
  private static final int COLLECTIONS = 30;

  @Test
  void keepsNoReaderOfRowsThatHasEnded() {
    assertFewLeft(
        spark ->
            spark
                .range(0, ROWS, 1, 2)
                .repartition(READERS, col("id"))
                .toJavaRDD()
                .map(Long::intValue)
                .coalesce(1));
  }

  @Test
  void keepsNoReaderOfObjectsThatHasEnded() {
    assertFewLeft(
        spark ->
            new JavaSparkContext(spark.sparkContext())
                .parallelize(IntStream.range(0, ROWS).boxed().collect(Collectors.toList()), 2)
                .repartition(READERS)
                .coalesce(1));
  }

  private interface Coalesced {
    JavaRDD<Integer> rows(SparkSession spark);
  }

  private static void assertFewLeft(Coalesced coalesced) {
    Map<String, String> conf = Map.of("spark.sql.adaptive.enabled", "false");
    List<Integer> left =
        SparkSide.throughHeap(
            conf,
            spark -> coalesced.rows(spark).mapPartitions(ManyReadersTest::readersLeft).collect());
    // The last one, and what is on the stack.
    assertThat(left).hasSize(1).allMatch(readers -> readers < 5);
  }

  /** How many are left when the task that read them has read all, and has not ended. */
  private static Iterator<Integer> readersLeft(Iterator<Integer> rows) {
    int count = 0;
    while (rows.hasNext()) {
      rows.next();
      count++;
    }
    assertThat(count).isEqualTo(ROWS);
    int left = READERS;
    for (int i = 0; i < COLLECTIONS && left >= 5; i++) {
      System.gc();
      left = HeapShuffleManager.currentStore().readersLeft();
    }
    return List.of(left).iterator();
  }
}
