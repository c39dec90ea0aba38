package org.apache.spark.shuffle.sluice.everyline;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.MapOutputStatistics;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.shuffle.sluice.driver.LossHandling;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;
import scala.concurrent.Await;
import scala.concurrent.duration.Duration;

/**
 * A server is lost while Spark's scheduler ends a map stage that somebody waits for alone, as
 * adaptive queries do. The scheduler looks three times at what is there: lost after the first look
 * that says everything, nobody was ever told that the stage has ended; after the second one,
 * partitions of lost maps were said to be empty.
 *
 * <p>Each map has rows for one partition, so that the loss takes all that some partitions have and
 * nothing of the others.
 */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
class MapStageEndsTest {
  private static final int SHUFFLE = 0;
  private static final int MAPS = 8;
  private static final int ROWS_PER_MAP = 50;

  private SparkSession spark;
  private final TaskLog log = new TaskLog();

  @BeforeEach
  void start() {
    spark =
        SparkSide.heap(
            Map.of(
                HeapShuffleManager.SERVERS,
                "2",
                "spark.sql.shuffle.partitions",
                "16",
                // Each partition that is not empty has a reader of its own, and no other has any.
                "spark.sql.adaptive.coalescePartitions.parallelismFirst",
                "false",
                "spark.sql.adaptive.coalescePartitions.minPartitionSize",
                "1b",
                "spark.sql.adaptive.advisoryPartitionSizeInBytes",
                "1b"));
    spark.sparkContext().addSparkListener(log);
  }

  @AfterEach
  void stop() {
    spark.stop();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void whoWaitsForTheStageIsToldWhatAllMapsHaveGiven(int look) throws Exception {
    SeenStatus status = SeenStatus.of(MAPS, look, MapStageEndsTest::loseAServer);
    tracker().shuffleStatuses().put(SHUFFLE, status);
    List<Integer> maps = IntStream.range(0, MAPS).boxed().collect(Collectors.toList());
    RDD<Tuple2<Integer, Integer>> rows =
        new JavaSparkContext(spark.sparkContext())
            .parallelize(maps, MAPS)
            .mapToPair(map -> new Tuple2<>(map, map))
            .partitionBy(new HashPartitioner(MAPS))
            .rdd();
    ShuffleDependency<?, ?, ?> shuffle = (ShuffleDependency<?, ?, ?>) rows.dependencies().apply(0);

    MapOutputStatistics told =
        Await.result(
            spark.sparkContext().submitMapStage(shuffle), Duration.create(30, TimeUnit.SECONDS));

    assertThat(status.looks()).isGreaterThanOrEqualTo(look);
    assertThat(told.bytesByPartitionId()).hasSize(MAPS).doesNotContain(0);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aServerThatIsLostBetweenTwoLooksOfTheSchedulerCostsMapsAndNoRows(int look) throws Exception {
    SeenStatus status = SeenStatus.of(MAPS, look, MapStageEndsTest::loseAServer);
    tracker().shuffleStatuses().put(SHUFFLE, status);

    List<Long> rows =
        spark
            .range(0, MAPS * ROWS_PER_MAP, 1, MAPS)
            .selectExpr("id", "floor(id / " + ROWS_PER_MAP + ") as map")
            .repartition(col("map"))
            .toJavaRDD()
            .map(row -> row.getLong(0))
            .collect();

    assertThat(status.looks()).isGreaterThanOrEqualTo(look);
    assertThat(rows.stream().sorted().collect(Collectors.toList()))
        .isEqualTo(LongStream.range(0, MAPS * ROWS_PER_MAP).boxed().collect(Collectors.toList()));
    assertThat(log.finishedMaps(spark) - MAPS).as("maps that ran again").isBetween(1, MAPS - 1);
  }

  /** Returns when what was lost with it has been dealt with, as far as that waits for nobody. */
  private static void loseAServer() {
    HeapShuffleManager.loseServer();
    CountDownLatch dealtWith = new CountDownLatch(1);
    LossHandling losses = (LossHandling) HeapShuffleManager.currentListener();
    losses.whenSettled(SHUFFLE, dealtWith::countDown);
    try {
      assertThat(dealtWith.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static MapOutputTrackerMaster tracker() {
    return (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
  }
}
