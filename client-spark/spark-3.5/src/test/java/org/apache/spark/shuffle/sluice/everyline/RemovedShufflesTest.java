package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import scala.Tuple2;

/** When what a shuffle has stored goes. */
class RemovedShufflesTest {
  private SparkSession spark;
  private SparkContext context;
  private JavaPairRDD<Integer, Integer> shuffled;

  @BeforeEach
  void shuffle() {
    spark = SparkSide.heap(Map.of());
    context = spark.sparkContext();
    shuffled =
        new JavaSparkContext(context)
            .parallelize(List.of(1, 2, 3, 4, 5, 6), 3)
            .mapToPair(number -> new Tuple2<>(number % 2, number))
            .reduceByKey(Integer::sum, 2);
    assertExact();
    assertThat(HeapShuffleManager.currentStore().size()).isPositive();
  }

  @AfterEach
  void stop() {
    spark.stop();
  }

  /** As the end of a SQL execution does from Spark 4.0 on, if it is told to clean up. */
  @Test
  void aPlanIsUsedAgainAfterItsFilesWereToGo() {
    context.shuffleDriverComponents().removeShuffle(0, true);

    assertExact();
  }

  @Test
  void itGoesWhenTheCleanerLetsGoOfIt() {
    clean();

    assertThat(HeapShuffleManager.currentStore().size()).isZero();
    assertThat(HeapShuffleManager.currentRoutes().registered()).isEmpty();
  }

  @Test
  void itGoesWithTheCleanerAlsoIfItsFilesWereToGoBefore() {
    context.shuffleDriverComponents().removeShuffle(0, true);
    clean();

    assertThat(HeapShuffleManager.currentStore().size()).isZero();
  }

  /** As by {@code RDD.cleanShuffleDependencies}, after which Spark runs the maps again. */
  @Test
  void aPlanIsUsedAgainAfterItWasCleaned() {
    clean();
    assertExact();
    assertThat(HeapShuffleManager.currentRoutes().registered()).hasSize(1);
    assertThat(HeapShuffleManager.currentStore().size()).isOne();

    clean();
    assertThat(HeapShuffleManager.currentStore().size()).isZero();
    assertThat(HeapShuffleManager.currentRoutes().registered()).isEmpty();
  }

  /** Tasks know it, and need it no more: it would count against quotas. */
  @Test
  void whatWasKeptGetsNoPlaceOnceItWasCleaned() {
    shuffled.cache();
    assertExact();
    clean();
    assertExact();

    assertThat(HeapShuffleManager.currentRoutes().registered()).isEmpty();
  }

  /** What was cached is lost by then, of a stage that needed no place when it was sent. */
  @Test
  void whatWasKeptAndIsKeptNoMoreGetsOneAgain() {
    shuffled.cache();
    assertExact();
    clean();
    assertExact();
    shuffled.unpersist(true);
    assertExact();

    assertThat(HeapShuffleManager.currentRoutes().registered()).hasSize(1);
  }

  @Test
  void oneThatIsRefusedAnotherPlaceGetsItWhenThereIsOne() {
    clean();
    HeapShuffleManager.refuseFromNowOn(ErrorCode.NO_SERVERS);
    assertThatThrownBy(this::assertExact)
        .isInstanceOf(SparkException.class)
        .hasMessageContaining(ErrorCode.NO_SERVERS.toString());
    HeapShuffleManager.placeFromNowOn();

    assertExact();
  }

  private void clean() {
    context.cleaner().get().doCleanupShuffle(0, true);
  }

  /** Spark 4.3 asks for those of another manager, too. */
  @Test
  void aNumberThatNobodyKnowsRemovesNothing() {
    SparkEnv.get().shuffleManager().unregisterShuffle(7);

    assertExact();
    assertThat(HeapShuffleManager.currentRoutes().registered()).hasSize(1);
  }

  private void assertExact() {
    assertThat(shuffled.collectAsMap()).isEqualTo(Map.of(0, 12, 1, 9));
  }
}
