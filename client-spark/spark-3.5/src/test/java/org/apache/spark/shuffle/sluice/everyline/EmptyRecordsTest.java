package org.apache.spark.shuffle.sluice.everyline;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;

/** Records with nothing in them, and shuffles of no record, or of one. */
class EmptyRecordsTest {
  @Test
  void rowsWithoutFieldsAndRowsOfNulls() {
    assertEqual(
        Map.of("spark.sql.adaptive.enabled", "false"),
        spark -> {
          List<String> result = text(spark.range(0, 1_000, 1, 3).select().repartition(4));
          result.addAll(text(spark.range(0, 50, 1, 3).selectExpr("null as n").repartition(4)));
          result.addAll(
              text(
                  spark
                      .range(0, 50, 1, 3)
                      .selectExpr("null as n", "'' as t", "cast('' as binary) as b")
                      .repartition(4, col("n"))
                      .selectExpr("n", "length(t)", "length(b)")));
          return result;
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void nothingAndOneRowDealtOutAnew(boolean adaptive) {
    assertEqual(
        Map.of("spark.sql.adaptive.enabled", String.valueOf(adaptive)),
        spark -> {
          List<String> result = text(spark.range(0).toDF().repartition(5));
          result.addAll(text(spark.range(1).toDF().repartition(5)));
          result.addAll(text(spark.range(1).toDF().repartition(5, col("id")).orderBy("id")));
          result.addAll(text(spark.range(0, 7, 1, 7).where("id = 3").toDF().repartition(1)));
          result.addAll(text(spark.emptyDataFrame().repartition(5)));
          JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
          result.add(context.<String>emptyRDD().repartition(5).collect().toString());
          result.add(context.parallelize(List.of("one"), 3).repartition(5).collect().toString());
          return result;
        });
  }

  /** Nulls and empty arrays as keys and as values. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "org.apache.spark.serializer.KryoSerializer",
        "org.apache.spark.serializer.JavaSerializer"
      })
  void objectsWithNothingInThem(String serializer) {
    assertEqual(
        Map.of("spark.serializer", serializer),
        spark -> {
          List<Integer> numbers = new ArrayList<>();
          for (int i = 0; i < 2_000; i++) {
            numbers.add(i);
          }
          JavaPairRDD<String, byte[]> records =
              new JavaSparkContext(spark.sparkContext())
                  .parallelize(numbers, 3)
                  .mapToPair(
                      i ->
                          new Tuple2<>(
                              i % 3 == 0 ? null : i % 3 == 1 ? "" : "k" + i,
                              i % 2 == 0 ? null : new byte[0]));
          List<String> result =
              records.partitionBy(new HashPartitioner(4)).collect().stream()
                  .map(EmptyRecordsTest::described)
                  .collect(Collectors.toList());
          // More partitions than streams that are open at once.
          records.partitionBy(new HashPartitioner(300)).collect().stream()
              .map(EmptyRecordsTest::described)
              .forEach(result::add);
          return result;
        });
  }

  private static String described(Tuple2<String, byte[]> record) {
    byte[] value = record._2();
    return "'" + record._1() + "': " + (value == null ? "null" : value.length + " bytes");
  }

  private static List<String> text(Dataset<Row> rows) {
    return rows.collectAsList().stream()
        .map(Row::toString)
        .collect(Collectors.toCollection(ArrayList::new));
  }

  private static void assertEqual(
      Map<String, String> conf, Function<SparkSession, List<String>> job) {
    Function<SparkSession, List<String>> sorted =
        spark -> job.apply(spark).stream().sorted().collect(Collectors.toList());
    assertThat(SparkSide.throughHeap(conf, sorted)).isEqualTo(SparkSide.throughOwn(conf, sorted));
  }
}
