package org.apache.spark.shuffle.sluice.everyline;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.sum;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoute;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoute.Why;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import scala.Tuple2;

/** Shuffles that do not go through Sluice: Spark's own serves them, for each policy. */
class LocalShufflesTest {
  private static final Map<String, String> SKEWED =
      Map.of(
          "spark.sql.shuffle.partitions", "8",
          "spark.sql.adaptive.coalescePartitions.parallelismFirst", "false",
          "spark.sql.adaptive.advisoryPartitionSizeInBytes", "50k",
          "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes", "50k",
          "spark.sql.adaptive.skewJoin.skewedPartitionFactor", "2",
          "spark.sql.autoBroadcastJoinThreshold", "-1",
          "spark.io.encryption.enabled", "true",
          // Shuffles stay until the test removes them.
          "spark.cleaner.referenceTracking", "false");

  private static final String TRACKING = "spark.dynamicAllocation.shuffleTracking.enabled";

  private static List<String> own = List.of();

  @BeforeAll
  static void runWithSparksOwnManager() {
    own = SparkSide.throughOwn(SKEWED, LocalShufflesTest::skewedJoinAndCombinedWords);
    assertThat(own).hasSizeGreaterThan(17);
  }

  @Test
  void whatIsRefusedHasTheSameRowsAndLeavesNothing() {
    Map<String, String> refusing = refusing("QUOTA_EXCEEDED");
    List<String> rows =
        SparkSide.throughHeap(
            refusing,
            spark -> {
              List<String> result = skewedJoinAndCombinedWords(spark);
              assertThat(HeapShuffleManager.currentStore().size()).isZero();
              assertThat(routes())
                  .hasSizeGreaterThanOrEqualTo(4)
                  .allSatisfy(
                      route -> {
                        assertThat(route.why()).isEqualTo(Why.REFUSED);
                        assertThat(route.reason())
                            .contains("QUOTA_EXCEEDED: the heap has no place for");
                      });
              assertThat(filesOfShuffles()).isNotEmpty();
              assertThat(reliable(spark)).isFalse();

              routes().forEach(route -> remove(route.shuffleId()));
              assertThat(filesOfShuffles()).isEmpty();
              assertThat(reliable(spark)).isTrue();
              assertThat(SparkEnv.get().conf().contains(TRACKING)).isFalse();
              return result;
            });
    assertThat(rows).isEqualTo(own);
  }

  @Test
  void oneShuffleOfAJobIsLocalAndTheOtherIsNot() {
    Map<String, String> conf = new HashMap<>(refusing("COORDINATOR_UNAVAILABLE"));
    conf.put(HeapShuffleManager.REFUSED_PARTITIONS, "7");
    Function<SparkSession, List<String>> job =
        spark -> {
          Dataset<Row> one = rows(spark, 2_000).repartition(5, col("k"));
          Dataset<Row> other = rows(spark, 2_000).repartition(7, col("k"));
          List<String> both = text(one.orderBy("k", "g"));
          both.addAll(text(other.groupBy("g").agg(sum("v")).orderBy("g")));
          return both;
        };
    List<String> rows =
        SparkSide.throughHeap(
            conf,
            spark -> {
              List<String> result = job.apply(spark);
              assertThat(routes()).anyMatch(ShuffleRoute::isLocal);
              assertThat(routes()).anyMatch(route -> route.why() == Why.PLACED);
              assertThat(HeapShuffleManager.currentStore().size()).isPositive();
              assertThat(HeapShuffleManager.currentRoutes().decided(Why.UNREACHABLE)).isPositive();
              assertThat(reliable(spark)).isFalse();
              routes().stream()
                  .filter(ShuffleRoute::isLocal)
                  .forEach(route -> remove(route.shuffleId()));
              assertThat(reliable(spark)).as("whatever is in Sluice").isTrue();
              return result;
            });
    assertThat(rows).isEqualTo(SparkSide.throughOwn(SKEWED, job));
  }

  @Test
  void neverFailsWithTheReason() {
    Map<String, String> conf = Map.of(HeapShuffleManager.REFUSAL, "QUOTA_EXCEEDED");
    SparkSide.throughHeap(
        conf,
        spark -> {
          assertThatThrownBy(() -> text(rows(spark, 100).repartition(3, col("k"))))
              .hasStackTraceContaining("QUOTA_EXCEEDED: the heap has no place for 3 partitions");
          assertThat(routes()).isEmpty();
          assertThat(SparkEnv.get().conf().get(TRACKING)).isEqualTo("false");
          assertThat(reliable(spark)).isTrue();
          return List.of();
        });
  }

  @Test
  void alwaysIsSparksOwnManager() {
    Map<String, String> conf = new HashMap<>(SKEWED);
    conf.put("spark.sluice.fallback", "always");
    List<String> rows =
        SparkSide.throughHeap(
            conf,
            spark -> {
              List<String> result = skewedJoinAndCombinedWords(spark);
              assertThat(routes()).isNotEmpty().allMatch(route -> route.why() == Why.ALWAYS);
              assertThat(HeapShuffleManager.currentStore().size()).isZero();
              assertThat(reliable(spark)).isFalse();
              assertThat(SparkEnv.get().conf().contains("spark.sluice.applicationId")).isFalse();
              return result;
            });
    assertThat(rows).isEqualTo(own);
  }

  private static Map<String, String> refusing(String code) {
    Map<String, String> conf = new HashMap<>(SKEWED);
    conf.put("spark.sluice.fallback", "auto");
    conf.put(HeapShuffleManager.REFUSAL, code);
    return conf;
  }

  /** Reads ranges of partitions and of maps, combines on the map side, sorts. */
  private static List<String> skewedJoinAndCombinedWords(SparkSession spark) {
    Dataset<Row> skewed =
        rows(spark, 12_000).selectExpr("case when k % 3 > 0 then 1L else k end as k", "s", "g");
    Dataset<Row> other = spark.range(300).select(col("id").as("k2"));
    Dataset<Row> joined =
        skewed
            .join(other, col("k").equalTo(col("k2")))
            .groupBy(col("g"))
            .agg(count(lit(1)), sum(col("k")), max(col("s")))
            .orderBy(col("g"));
    List<String> result = text(joined);
    assertThat(joined.queryExecution().executedPlan().toString()).contains("skewed");
    new JavaSparkContext(spark.sparkContext())
        .parallelize(List.of(5, 3, 9, 3, 5, 5), 3)
        .mapToPair(number -> new Tuple2<>(number, 1))
        .reduceByKey(Integer::sum, 2)
        .sortByKey()
        .collect()
        .forEach(pair -> result.add(pair.toString()));
    return result;
  }

  private static Dataset<Row> rows(SparkSession spark, long count) {
    return spark
        .range(0, count, 1, 4)
        .selectExpr(
            "id * 7919 % 10007 as k", "id % 17 as g", "id / 3 as v", "sha2(string(id), 256) as s");
  }

  private static List<String> text(Dataset<Row> rows) {
    return rows.collectAsList().stream()
        .map(Row::toString)
        .collect(Collectors.toCollection(ArrayList::new));
  }

  private static List<ShuffleRoute> routes() {
    return HeapShuffleManager.currentRoutes().registered();
  }

  private static boolean reliable(SparkSession spark) {
    return spark.sparkContext().shuffleDriverComponents().supportsReliableStorage();
  }

  /** What Spark has each process do; there is no cleaner here that would ask for it. */
  private static void remove(int shuffleId) {
    SparkEnv.get().shuffleManager().unregisterShuffle(shuffleId);
  }

  private static List<Path> filesOfShuffles() {
    List<Path> files = new ArrayList<>();
    for (File directory : SparkEnv.get().blockManager().diskBlockManager().localDirs()) {
      try (Stream<Path> all = Files.walk(directory.toPath())) {
        all.filter(file -> file.getFileName().toString().startsWith("shuffle_"))
            .forEach(files::add);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return files;
  }
}
