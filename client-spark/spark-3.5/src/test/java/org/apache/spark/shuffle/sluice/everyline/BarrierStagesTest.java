package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.time.Clock;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.HashPartitioner;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import scala.Function1;
import scala.Tuple2;
import scala.collection.JavaConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Stages whose tasks run all at once, and all again if one fails, on both sides of a shuffle. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class BarrierStagesTest {
  private static final int TASKS = 2;
  private static final int ROWS_PER_TASK = 20_000;

  private SparkSession spark;
  private JavaSparkContext context;
  private final TaskLog log = new TaskLog();

  @BeforeEach
  void start() {
    // So that much of a map is pushed before it fails.
    spark =
        SparkSide.heap(Map.of("spark.sluice.write.buffer", "1m", HeapShuffleManager.SERVERS, "2"));
    context = new JavaSparkContext(spark.sparkContext());
    spark.sparkContext().addSparkListener(log);
  }

  @AfterEach
  void stop() {
    spark.stop();
  }

  /** One task fails when the other's output is there; that one's must not be read either. */
  @Test
  void mapsBehindABarrierAreAllRunAgain() throws Exception {
    JavaRDD<Integer> seeds = context.parallelize(List.of(0, 1), TASKS);
    JavaRDD<String> rows =
        atOnce(
            seeds,
            given -> {
              int seed = given.next();
              int attempt = TaskContext.get().stageAttemptNumber();
              return IntStream.range(0, ROWS_PER_TASK)
                  .mapToObj(
                      i -> {
                        if (seed == 1 && attempt == 0 && i == ROWS_PER_TASK - 1) {
                          await(() -> outputs() == 1);
                          throw new IllegalStateException("this task was to fail");
                        }
                        return row(seed, i) + " " + "x".repeat(50) + attempt;
                      })
                  .iterator();
            });

    List<String> read = shuffledOn(rows).keys().collect();

    assertThat(read).allMatch(row -> row.endsWith("x1"));
    assertExact(read);
    assertThat(log.finishedMaps(spark)).isEqualTo(1 + TASKS);
    assertThat(log.mapStageAttempts(spark)).isEqualTo(2);
  }

  @Test
  void readersBehindABarrierAreAllRunAgain() throws Exception {
    JavaRDD<String> read =
        atOnce(
            shuffled().keys(),
            rows -> {
              List<String> all = new ArrayList<>();
              rows.forEachRemaining(all::add);
              if (TaskContext.get().stageAttemptNumber() == 0) {
                if (TaskContext.getPartitionId() == 0) {
                  throw new IllegalStateException("this task was to fail");
                }
                // One that ends well now would be counted, and the other then be tried alone.
                await(() -> TaskContext.get().isInterrupted());
              }
              return all.iterator();
            });

    assertExact(shuffledOn(read).keys().collect());
    assertThat(log.failedTasks(spark)).isPositive();
    assertThat(log.finishedMaps(spark)).isEqualTo(2 * TASKS);
  }

  @Test
  void readersBehindABarrierThatMissAMapGetItAgain() throws Exception {
    JavaRDD<String> read = atOnce(shuffled().keys(), rows -> rows);
    assertExact(read.collect());

    Loss.ofMap(0, 1);
    assertExact(shuffledOn(read).keys().collect());

    assertThat(log.fetchFailures(spark)).isPositive();
    assertThat(log.finishedMaps(spark)).isEqualTo(TASKS + 1 + TASKS);
  }

  /** Each map has rows for one partition, and they say who ran with it. */
  @Test
  void mapsBehindABarrierAreAllRunAgainWhenAServerLosesOneOfThem() throws Exception {
    JavaRDD<String> rows =
        atOnce(
            context.parallelize(List.of(0, 1), TASKS),
            given -> {
              int map = given.next();
              String all =
                  String.join("+", BarrierTaskContext.get().allGather(String.valueOf(map)));
              return List.of(map + " of " + all).iterator();
            });
    JavaRDD<String> read =
        rows.mapToPair(row -> new Tuple2<>(row.charAt(0) - '0', row))
            .partitionBy(new HashPartitioner(TASKS))
            .values();
    assertThat(read.collect()).containsExactlyInAnyOrder("0 of 0+1", "1 of 0+1");

    HeapShuffleManager.loseServer();
    await(() -> outputs() < TASKS);

    assertThat(read.collect()).containsExactlyInAnyOrder("0 of 0+1", "1 of 0+1");
    assertThat(log.fetchFailures(spark)).isZero();
    assertThat(log.finishedMaps(spark)).isEqualTo(2 * TASKS);
  }

  private JavaPairRDD<String, Integer> shuffled() {
    return shuffledOn(
        context
            .parallelize(List.of(0, 1), TASKS)
            .flatMap(
                seed -> IntStream.range(0, ROWS_PER_TASK).mapToObj(i -> row(seed, i)).iterator()));
  }

  /** Another shuffle behind: Spark gives up a job whose last stage is a barrier and fails. */
  private static JavaPairRDD<String, Integer> shuffledOn(JavaRDD<String> rows) {
    return rows.mapToPair(row -> new Tuple2<>(row, 1)).partitionBy(new HashPartitioner(TASKS));
  }

  /** What each partition's rows become, in a barrier stage. */
  @SuppressWarnings("deprecation") // Scala 2.12 has no other converters.
  private static <T> JavaRDD<String> atOnce(
      JavaRDD<T> rows, SerializableOperator<Iterator<T>, Iterator<String>> task) {
    ClassTag<String> text = ClassTag$.MODULE$.apply(String.class);
    return rows.rdd()
        .barrier()
        .mapPartitions(
            (Function1<scala.collection.Iterator<T>, scala.collection.Iterator<String>>
                    & Serializable)
                given -> {
                  BarrierTaskContext.get().barrier();
                  return JavaConverters.asScalaIterator(
                      task.apply(JavaConverters.asJavaIterator(given)));
                },
            false,
            text)
        .toJavaRDD();
  }

  private interface SerializableOperator<T, R> extends Serializable {
    R apply(T given);
  }

  private static String row(int seed, int i) {
    return "row " + (seed * ROWS_PER_TASK + i);
  }

  private static int outputs() {
    return ((MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker()).getNumAvailableOutputs(0);
  }

  private static void await(BooleanSupplier condition) {
    long deadline = Clock.system().nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertThat(Clock.system().nanoTime()).as("the deadline").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  private static void assertExact(List<String> rows) {
    List<Integer> numbers =
        rows.stream()
            .map(row -> Integer.parseInt(row.split(" ")[1]))
            .sorted()
            .collect(Collectors.toList());
    assertThat(numbers)
        .isEqualTo(IntStream.range(0, TASKS * ROWS_PER_TASK).boxed().collect(Collectors.toList()));
  }
}
