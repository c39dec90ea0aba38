package org.apache.spark.shuffle.sluice.everyline;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.sum;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;

/** What jobs compute over our manager equals what they compute over Spark's own. */
class ShuffledResultsTest {
  private static final String KRYO = "org.apache.spark.serializer.KryoSerializer";

  @ParameterizedTest
  @ValueSource(strings = {"lz4", "zstd", "none", "snappy", "lzf"})
  void sqlSortJoinAndAggregateWithEveryCodec(String codec) {
    Map<String, String> conf =
        Map.of("spark.sluice.codec", codec, "spark.sql.shuffle.partitions", "7");
    assertEqual(
        conf,
        spark -> {
          Dataset<Row> left = rows(spark, 20_000);
          Dataset<Row> right = rows(spark, 3_000).select(col("k").as("k2"), col("v").as("w"));
          Dataset<Row> joined =
              left.join(right, col("k").equalTo(col("k2")))
                  .groupBy(col("g"))
                  .agg(count(lit(1)), sum(col("w")));
          List<String> sorted = text(left.orderBy(col("s").desc(), col("k")).limit(500));
          sorted.addAll(text(joined.orderBy(col("g"))));
          return sorted;
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"lz4", "none"})
  void encryptedDataOfRowsAndObjects(String codec) {
    Map<String, String> conf =
        Map.of(
            "spark.io.encryption.enabled", "true",
            "spark.io.encryption.keySizeBits", "256",
            "spark.sluice.codec", codec,
            "spark.sluice.block.size", "16k",
            "spark.sql.shuffle.partitions", "7");
    assertEqual(
        conf,
        spark -> {
          List<String> result =
              text(rows(spark, 20_000).repartition(5).orderBy(col("k"), col("s")));
          new JavaSparkContext(spark.sparkContext())
              .parallelize(List.of(5, 3, 9, 3, 5, 5), 3)
              .mapToPair(number -> new Tuple2<>(number, "n" + number))
              .groupByKey(2)
              .collect()
              .forEach(pair -> result.add(pair.toString()));
          return result;
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void serversSeeNothingOfEncryptedRows(boolean encrypted) {
    Map<String, String> conf =
        Map.of(
            "spark.io.encryption.enabled", String.valueOf(encrypted), "spark.sluice.codec", "none");
    List<String> rows =
        SparkSide.throughHeap(
            conf,
            spark -> {
              List<String> read =
                  text(
                      spark
                          .range(0, 10, 1, 2)
                          .selectExpr("concat('row-', id) as s")
                          .repartition(3));
              assertThat(HeapShuffleManager.currentStore().size()).isEqualTo(1);
              assertThat(HeapShuffleManager.currentStore().holds("row-7")).isEqualTo(!encrypted);
              return read;
            });
    assertThat(rows).hasSize(10).contains("[row-7]");
  }

  @Test
  void sqlRepartitionKeepsEveryRowThroughManyDrains() {
    Map<String, String> conf =
        Map.of(
            "spark.sluice.write.buffer", "1m",
            "spark.sluice.block.size", "16k",
            "spark.sql.shuffle.partitions", "9",
            "spark.sql.adaptive.enabled", "false");
    assertEqual(
        conf, spark -> text(rows(spark, 30_000).repartition(33, col("k")).orderBy(col("k"))));
  }

  @Test
  void adaptiveExecutionCoalescesAndSplitsSkew() {
    Map<String, String> conf =
        Map.of(
            "spark.sql.shuffle.partitions", "50",
            "spark.sql.adaptive.coalescePartitions.parallelismFirst", "false",
            "spark.sql.adaptive.advisoryPartitionSizeInBytes", "100k",
            "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes", "100k",
            "spark.sql.adaptive.skewJoin.skewedPartitionFactor", "2",
            // Though what is grouped by the same key has to be shuffled once more.
            "spark.sql.adaptive.forceOptimizeSkewedJoin", "true",
            "spark.sql.autoBroadcastJoinThreshold", "-1");
    assertEqual(
        conf,
        spark -> {
          Dataset<Row> skewed =
              rows(spark, 60_000)
                  .selectExpr("case when k % 3 > 0 then 1L else k end as k", "s", "g");
          Dataset<Row> other = rows(spark, 500).select(col("k").as("k2"), col("v"));
          Dataset<Row> joined =
              skewed
                  .join(other, col("k").equalTo(col("k2")))
                  .groupBy(col("k"))
                  .agg(count(lit(1)), sum(col("v")), max(col("s")))
                  .orderBy(col("k"));
          List<String> result = text(joined);
          assertThat(joined.queryExecution().executedPlan().toString())
              .contains("isFinalPlan=true", "AQEShuffleRead coalesced", "skew=true");
          return result;
        });
  }

  @Test
  void rowsLongerThanABlockArriveWhole() {
    assertEqual(
        Map.of("spark.sluice.block.size", "16k"),
        spark ->
            text(
                spark
                    .range(0, 40, 1, 4)
                    .selectExpr(
                        "id",
                        "case when id % 5 = 0 then repeat(cast(id as string), 200000) else 'x' end"
                            + " as s")
                    .repartition(3, col("id"))
                    .selectExpr("id", "length(s)", "md5(s)")
                    .orderBy(col("id"))));
  }

  @ParameterizedTest
  @ValueSource(strings = {KRYO, "org.apache.spark.serializer.JavaSerializer"})
  void wordCountSortAndGroupOfObjects(String serializer) {
    assertEqual(
        Map.of("spark.serializer", serializer, "spark.sluice.block.size", "16k"),
        spark -> {
          JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
          JavaPairRDD<String, Integer> ones =
              context
                  .parallelize(List.of(0, 1, 2, 3, 4, 5, 6, 7), 8)
                  .flatMap(
                      seed ->
                          java.util.stream.IntStream.range(0, 5_000)
                              .mapToObj(i -> "word" + (i * (seed + 7)) % 997)
                              .iterator())
                  .mapToPair(word -> new Tuple2<>(word, 1));
          List<String> result =
              ones.reduceByKey(Integer::sum, 13).collect().stream()
                  .map(Tuple2::toString)
                  .sorted()
                  .collect(Collectors.toList());
          // Grouping combines on the reduce side only; sorting orders by key there.
          ones.groupByKey(5)
              .mapValues(values -> (int) values.spliterator().getExactSizeIfKnown())
              .sortByKey()
              .collect()
              .forEach(pair -> result.add(pair._1()));
          ones.repartition(9).countByKey().entrySet().stream()
              .map(Object::toString)
              .sorted()
              .forEach(result::add);
          return result;
        });
  }

  @Test
  void emptyShufflesAndEmptyPartitions() {
    assertEqual(
        Map.of("spark.sql.adaptive.enabled", "false"),
        spark -> {
          List<String> result = text(rows(spark, 1000).where("k < 0").repartition(5, col("k")));
          result.addAll(text(rows(spark, 3).repartition(64, col("k")).orderBy(col("k"))));
          return result;
        });
  }

  private static Dataset<Row> rows(SparkSession spark, long count) {
    return spark
        .range(0, count, 1, 5)
        .selectExpr(
            "id * 7919 % 10007 * 100000 + id as k",
            "id % 17 as g",
            "cast(id as double) / 3 as v",
            "sha2(cast(id as string), 256) as s",
            "if(id % 4 = 0, null, repeat('ab', cast(id % 50 as int))) as t")
        .selectExpr("k % 100000 as k", "g", "v", "s", "t");
  }

  private static List<String> text(Dataset<Row> rows) {
    return rows.collectAsList().stream().map(Row::toString).collect(Collectors.toList());
  }

  private static void assertEqual(
      Map<String, String> conf, Function<SparkSession, List<String>> job) {
    assertThat(SparkSide.throughHeap(conf, job)).isEqualTo(SparkSide.throughOwn(conf, job));
  }
}
