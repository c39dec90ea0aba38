package org.apache.spark.shuffle.sluice.everyline;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.sha2;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One task that reads on two cores: row for row what it reads with Spark's own shuffle. */
class DecodedAheadTest {
  private static final int ROWS = 60_000;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void rowsOfOneTaskOnTwoCores(boolean encrypted) {
    assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "there is one processor");
    Map<String, String> conf =
        Map.of(
            "spark.sluice.codec",
            "zstd",
            "spark.sluice.block.size",
            "1m",
            "spark.io.encryption.enabled",
            String.valueOf(encrypted),
            "spark.sql.adaptive.enabled",
            "false");
    List<String> ours =
        SparkSide.throughHeap(conf, spark -> rows(spark, DecodedAheadTest::readWithAnotherCore));
    List<String> own = SparkSide.throughOwn(conf, spark -> rows(spark, rows -> read(rows, false)));
    assertThat(ours).hasSize(ROWS);
    assertThat(ours).isEqualTo(own);
  }

  private static List<String> rows(
      SparkSession spark, FlatMapFunction<Iterator<Row>, String> reading) {
    return spark
        .range(0, ROWS, 1, 1)
        .select(
            col("id"),
            sha2(col("id").cast("string"), 512).as("s"),
            lit("the same in all rows").as("t"))
        .repartition(1)
        .toJavaRDD()
        .mapPartitions(reading)
        .collect();
  }

  private static Iterator<String> readWithAnotherCore(Iterator<Row> rows) throws Exception {
    return read(rows, true);
  }

  /** Half way the task does not go on before another core has taken something. */
  private static Iterator<String> read(Iterator<Row> rows, boolean another)
      throws InterruptedException {
    List<String> read = new ArrayList<>();
    while (rows.hasNext()) {
      read.add(rows.next().toString());
      if (another && read.size() == ROWS / 2) {
        assertThat(HeapShuffleManager.currentStore().awaitPoll()).as("another core").isTrue();
      }
    }
    return read.iterator();
  }
}
