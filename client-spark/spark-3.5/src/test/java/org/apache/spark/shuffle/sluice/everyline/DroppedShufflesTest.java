package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.time.Clock;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.apache.spark.Dependency;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoute;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import scala.Tuple2;

/** Shuffles of plans that somebody looked at, and nobody holds any more. */
class DroppedShufflesTest {
  @Test
  void aShuffleThatNeverRanGoesWithItsPlan() {
    assertGoesWithItsPlan(Map.of());
  }

  @Test
  void soItGoesWhereAllAreLocal() {
    assertGoesWithItsPlan(Map.of("spark.sluice.fallback", "always"));
  }

  private static void assertGoesWithItsPlan(Map<String, String> properties) {
    SparkSide.throughHeap(
        properties,
        spark -> {
          lookAtAPlan(spark);
          awaitCollected(() -> registered().isEmpty());
          return true;
        });
  }

  /** It has placed half of a join when the other half is refused. */
  @Test
  void aShuffleWhoseJobFailedBeforeItRanGoesToo() {
    SparkSide.throughHeap(
        Map.of(
            HeapShuffleManager.REFUSAL, "QUOTA_EXCEEDED",
            HeapShuffleManager.REFUSED_PARTITIONS, "7"),
        spark -> {
          assertThat(shuffled(spark, 3).rdd().dependencies().size()).isEqualTo(1);
          assertThat(failsToLookAtAPlan(spark, 7)).contains("QUOTA_EXCEEDED");
          awaitCollected(() -> registered().isEmpty());
          return true;
        });
  }

  @Test
  void aLocalShuffleThatNeverRanMakesNoExecutorWorthKeepingForLong() {
    SparkSide.throughHeap(
        Map.of("spark.sluice.fallback", "auto", HeapShuffleManager.REFUSAL, "QUOTA_EXCEEDED"),
        spark -> {
          lookAtAPlan(spark);
          awaitCollected(
              () -> spark.sparkContext().shuffleDriverComponents().supportsReliableStorage());
          return true;
        });
  }

  /** Here that one is switched off. */
  @Test
  void aShuffleThatRanIsLeftToSparksCleaner() {
    SparkSide.throughHeap(
        Map.of("spark.cleaner.referenceTracking", "false"),
        spark -> {
          WeakReference<Dependency<?>> ran = run(spark);
          awaitCollected(() -> ran.get() == null);
          lookAtAPlan(spark);
          awaitCollected(() -> registered().size() < 2);
          assertThat(registered()).containsExactly(0);
          return true;
        });
  }

  private static void lookAtAPlan(SparkSession spark) {
    int before = registered().size();
    JavaPairRDD<Integer, Integer> plan = shuffled(spark, 3);
    assertThat(plan.toDebugString()).contains("ShuffledRDD");
    assertThat(registered()).hasSize(before + 1);
    assertThat(plan.id()).as("of a plan that is held").isPositive();
  }

  private static String failsToLookAtAPlan(SparkSession spark, int partitions) {
    try {
      return shuffled(spark, partitions).toDebugString();
    } catch (RuntimeException refused) {
      return String.valueOf(refused.getMessage());
    }
  }

  private static WeakReference<Dependency<?>> run(SparkSession spark) {
    JavaPairRDD<Integer, Integer> plan = shuffled(spark, 3);
    assertThat(plan.collect()).hasSize(4);
    return new WeakReference<>(plan.rdd().dependencies().apply(0));
  }

  private static JavaPairRDD<Integer, Integer> shuffled(SparkSession spark, int partitions) {
    return new JavaSparkContext(spark.sparkContext())
        .parallelize(List.of(1, 2, 3, 4), 2)
        .mapToPair(number -> new Tuple2<>(number, number))
        .partitionBy(new HashPartitioner(partitions));
  }

  private static List<Integer> registered() {
    return HeapShuffleManager.currentRoutes().registered().stream()
        .map(ShuffleRoute::shuffleId)
        .collect(Collectors.toList());
  }

  private static void awaitCollected(BooleanSupplier condition) {
    long deadline = Clock.system().nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertThat(Clock.system().nanoTime()).as("the deadline").isLessThan(deadline);
      System.gc();
    }
  }
}
