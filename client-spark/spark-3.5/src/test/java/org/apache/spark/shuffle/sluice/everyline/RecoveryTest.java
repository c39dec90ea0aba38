package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.sluice.store.HeapShuffleStore;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import scala.Tuple2;

/** Lost map outputs and failing attempts: exact rows all the same, and no more work than needed. */
class RecoveryTest {
  private static final int MAPS = 12;
  private static final int RECORDS_PER_MAP = 500;

  private SparkSession spark;
  private JavaSparkContext context;
  private final TaskLog log = new TaskLog();

  @BeforeEach
  void start() {
    spark = SparkSide.heap(Map.of());
    context = new JavaSparkContext(spark.sparkContext());
    spark.sparkContext().addSparkListener(log);
  }

  @AfterEach
  void stop() {
    spark.stop();
  }

  @Test
  void recomputesAllLostMapsInOneAttemptOfTheirStage() throws Exception {
    JavaPairRDD<Integer, Integer> shuffled = shuffled(false);
    assertExact(shuffled);
    HeapShuffleStore store = HeapShuffleManager.currentStore();
    int mapsBefore = log.finishedMaps(spark);

    IntStream.range(2, 9).forEach(map -> store.lose(0, map));
    assertExact(shuffled);

    assertThat(log.finishedMaps(spark) - mapsBefore).isEqualTo(7);
    assertThat(log.fetchFailures(spark)).isPositive();
    assertThat(log.mapStageAttempts(spark)).isEqualTo(2);
  }

  @Test
  void recomputesWhatALostServerHadBeforeReducersTripOverIt() throws Exception {
    JavaPairRDD<Integer, Integer> shuffled = shuffled(false);
    assertExact(shuffled);
    int mapsBefore = log.finishedMaps(spark);

    HeapShuffleManager.currentStore().clear();
    HeapShuffleManager.loseServer();
    awaitNoMapOutputs();
    assertExact(shuffled);

    assertThat(log.finishedMaps(spark) - mapsBefore).isEqualTo(MAPS);
    assertThat(log.fetchFailures(spark)).isZero();
    assertExact(shuffled);
    assertThat(log.finishedMaps(spark) - mapsBefore)
        .as("what was written anew stays")
        .isEqualTo(MAPS);
  }

  private static void awaitNoMapOutputs() {
    MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
    long deadline = Clock.system().nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (tracker.getNumAvailableOutputs(0) > 0) {
      assertThat(Clock.system().nanoTime()).as("the deadline").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  @Test
  void recomputesEverythingOfAShuffleThatIsGone() throws Exception {
    JavaPairRDD<Integer, Integer> shuffled = shuffled(false);
    assertExact(shuffled);
    int mapsBefore = log.finishedMaps(spark);

    HeapShuffleManager.currentStore().clear();
    assertExact(shuffled);

    assertThat(log.finishedMaps(spark) - mapsBefore).isEqualTo(MAPS);
  }

  /** As Spark itself does to blocks of an executor that is decommissioned, here to two maps. */
  @Test
  void recomputesWhatSparkHasInAPlaceThatIsNotOurs() throws Exception {
    JavaPairRDD<Integer, Integer> shuffled = shuffled(false);
    assertExact(shuffled);
    int mapsBefore = log.finishedMaps(spark);

    MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
    MapStatus[] statuses = tracker.shuffleStatuses().get(0).get().mapStatuses();
    BlockManagerId elsewhere = SparkEnv.get().blockManager().blockManagerId();
    for (int map : new int[] {3, 4}) {
      tracker.updateMapOutput(0, statuses[map].mapId(), elsewhere);
    }
    assertExact(shuffled);

    assertThat(log.finishedMaps(spark) - mapsBefore).isEqualTo(2);
    assertThat(log.fetchFailures(spark)).isPositive();
    assertThat(log.mapStageAttempts(spark)).isEqualTo(2);
  }

  @Test
  void anAttemptThatFailsMidwayLeavesNoRows() throws Exception {
    assertExact(shuffled(true));
    assertThat(log.failedTasks(spark)).isEqualTo(2);
  }

  @Test
  void outputsDoNotDependOnExecutors() {
    assertThat(spark.sparkContext().shuffleDriverComponents().supportsReliableStorage()).isTrue();
    assertThat(SparkEnv.get().conf().get("spark.shuffle.sort.io.plugin.class"))
        .isEqualTo("org.apache.spark.shuffle.sluice.SluiceDataIO");
  }

  private JavaPairRDD<Integer, Integer> shuffled(boolean failOnce) {
    List<Integer> seeds = IntStream.range(0, MAPS).boxed().collect(Collectors.toList());
    return context
        .parallelize(seeds, MAPS)
        .flatMapToPair(
            seed ->
                IntStream.range(0, RECORDS_PER_MAP)
                    .mapToObj(
                        i -> {
                          if (failOnce
                              && i == RECORDS_PER_MAP / 2
                              && seed % 6 == 1
                              && TaskContext.get().attemptNumber() == 0) {
                            throw new IllegalStateException("this attempt was to fail");
                          }
                          return new Tuple2<>(seed * RECORDS_PER_MAP + i, seed);
                        })
                    .iterator())
        .repartition(6)
        .mapToPair(pair -> pair);
  }

  private static void assertExact(JavaPairRDD<Integer, Integer> shuffled) {
    List<Integer> keys = shuffled.keys().collect().stream().sorted().collect(Collectors.toList());
    assertThat(keys)
        .isEqualTo(IntStream.range(0, MAPS * RECORDS_PER_MAP).boxed().collect(Collectors.toList()));
  }
}
