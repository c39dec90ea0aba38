package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
  private static final AtomicInteger MAPPED = new AtomicInteger();
  private static volatile Gate gate = () -> {};

  private SparkSession spark;
  private SparkContext context;
  private JavaPairRDD<Integer, Integer> shuffled;

  @BeforeEach
  void shuffle() {
    MAPPED.set(0);
    spark = SparkSide.heap(Map.of());
    context = spark.sparkContext();
    shuffled =
        new JavaSparkContext(context)
            .parallelize(List.of(1, 2, 3, 4, 5, 6), 3)
            .mapToPair(
                number -> {
                  MAPPED.incrementAndGet();
                  return new Tuple2<>(number % 2, number);
                })
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

  /** It was sent when nobody needed a place, and what was cached is lost before it gets there. */
  @Test
  void aReaderFindsTheOneThatAnotherJobHasGot() throws Exception {
    shuffled.cache();
    assertExact();
    clean();
    CountDownLatch reached = new CountDownLatch(1);
    CountDownLatch open = new CountDownLatch(1);
    gate =
        () -> {
          reached.countDown();
          assertThat(open.await(60, TimeUnit.SECONDS)).isTrue();
        };
    CompletableFuture<Integer> sum = CompletableFuture.supplyAsync(this::sumBehindTheGate);
    assertThat(reached.await(60, TimeUnit.SECONDS)).isTrue();
    shuffled.unpersist(true);
    assertExact();
    assertThat(MAPPED).hasValue(12);
    open.countDown();

    assertThat(sum.get(60, TimeUnit.SECONDS)).isEqualTo(21);
    assertThat(MAPPED).hasValue(12); // As they would not, had it looked where the shuffle was.
  }

  private int sumBehindTheGate() {
    return new JavaSparkContext(context)
        .parallelize(List.of(0), 1)
        .mapPartitions(
            zero -> {
              gate.pass();
              return zero;
            })
        .zipPartitions(shuffled.values().coalesce(1), (zero, sums) -> sums)
        .reduce(Integer::sum);
  }

  /** What a task waits for; tasks run in this process. */
  private interface Gate {
    void pass() throws InterruptedException;
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
