package org.apache.spark.shuffle.sluice.everyline;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.StorageLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Tuple2;

/**
 * What Spark keeps of a shuffle's rows, or reads twice, once the shuffle's own outputs are lost.
 */
class LostLineageTest {
  private static final int MAPS = 4;
  private static final int ROWS = 4_000;

  private final TaskLog log = new TaskLog();

  @Test
  void aCheckpointOnFilesNeedsTheShuffleNoMore(@TempDir Path files) {
    SparkSide.throughHeap(
        Map.of(),
        spark -> {
          JavaRDD<Integer> rows = shuffled(spark);
          spark.sparkContext().setCheckpointDir(files.toUri().toString());
          rows.checkpoint();
          assertExact(rows);
          assertThat(rows.isCheckpointed()).isTrue();
          assertReadWithoutMaps(spark, rows);
          return rows;
        });
  }

  @Test
  void aLocalCheckpointNeedsTheShuffleNoMore() {
    SparkSide.throughHeap(
        Map.of(),
        spark -> {
          JavaRDD<Integer> rows = shuffled(spark);
          rows.rdd().localCheckpoint();
          assertExact(rows);
          assertReadWithoutMaps(spark, rows);
          return rows;
        });
  }

  @Test
  void cachedRowsAreMadeAgainWhenPartOfThemIsDropped() {
    SparkSide.throughHeap(
        Map.of(),
        spark -> {
          JavaRDD<Integer> rows = shuffled(spark).persist(StorageLevel.MEMORY_ONLY());
          assertExact(rows);
          assertReadWithoutMaps(spark, rows);

          int before = finishedMaps(spark);
          SparkEnv.get().blockManager().removeBlock(new RDDBlockId(rows.id(), 1), true);
          assertExact(rows);
          assertThat(finishedMaps(spark) - before).isEqualTo(MAPS);
          return rows;
        });
  }

  /** A frame that is joined with itself: one exchange, read twice. */
  @Test
  void anExchangeThatIsReadTwice() {
    assertEqualAfterLoss(
        spark -> {
          Dataset<Row> once = rows(spark).repartition(5, col("k"));
          return once.as("a")
              .join(once.as("b"), col("a.k").equalTo(col("b.k")))
              .selectExpr("a.k", "a.v", "b.v as w")
              .orderBy("k", "v", "w");
        });
  }

  /** A table that is named five times, twice of them within other queries. */
  @Test
  void aQueryWithinAQuery() {
    assertEqualAfterLoss(
        spark -> {
          rows(spark).createOrReplaceTempView("rows");
          return spark.sql(
              "with sums as (select k, sum(v) as s from rows group by k)"
                  + " select a.k, a.s, b.s as t, (select max(s) from sums) as most"
                  + " from sums a join sums b on a.k = b.k"
                  + " where a.s > (select avg(s) from sums)"
                  + " or a.k in (select k from sums where s < 100)"
                  + " order by a.k");
        });
  }

  private static void assertEqualAfterLoss(Function<SparkSession, Dataset<Row>> query) {
    Map<String, String> conf =
        Map.of(
            "spark.sql.shuffle.partitions", "5",
            "spark.sql.autoBroadcastJoinThreshold", "-1",
            // 4.x else removes a query's shuffles when it has ended.
            "spark.sql.classic.shuffleDependency.fileCleanup.enabled", "false");
    List<String> ours =
        SparkSide.throughHeap(
            conf,
            spark -> {
              Dataset<Row> rows = query.apply(spark);
              List<String> first = text(rows);
              assertThat(rows.queryExecution().executedPlan().toString())
                  .contains("ReusedExchange");
              HeapShuffleManager.currentStore().clear();
              assertThat(text(rows)).isEqualTo(first);
              assertThat(HeapShuffleManager.currentStore().size()).isPositive();
              return first;
            });
    assertThat(ours).isNotEmpty();
    assertThat(ours).isEqualTo(SparkSide.throughOwn(conf, spark -> text(query.apply(spark))));
  }

  private static Dataset<Row> rows(SparkSession spark) {
    return spark.range(0, 1_000, 1, 3).selectExpr("id % 37 as k", "id % 11 as v");
  }

  private static List<String> text(Dataset<Row> rows) {
    return rows.collectAsList().stream()
        .map(Row::toString)
        .collect(Collectors.toCollection(ArrayList::new));
  }

  private JavaRDD<Integer> shuffled(SparkSession spark) {
    spark.sparkContext().addSparkListener(log);
    return new JavaSparkContext(spark.sparkContext())
        .parallelize(IntStream.range(0, ROWS).boxed().collect(Collectors.toList()), MAPS)
        .mapToPair(row -> new Tuple2<>(row, row))
        .partitionBy(new HashPartitioner(3))
        .values();
  }

  private void assertReadWithoutMaps(SparkSession spark, JavaRDD<Integer> rows) {
    int before = finishedMaps(spark);
    HeapShuffleManager.currentStore().clear();
    assertExact(rows);
    assertThat(finishedMaps(spark)).isEqualTo(before);
  }

  private int finishedMaps(SparkSession spark) {
    try {
      return log.finishedMaps(spark);
    } catch (TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  private static void assertExact(JavaRDD<Integer> rows) {
    assertThat(rows.collect().stream().sorted())
        .containsExactlyElementsOf(IntStream.range(0, ROWS).boxed().collect(Collectors.toList()));
  }
}
