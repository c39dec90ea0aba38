package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;

/**
 * Rows dealt out in turn, by maps that get them in another order when they run again: a map that is
 * lost gives other rows to each reader than it did. Spark must run all of its stage and of what has
 * read it again, or give the job up; what must not be is a mixture. The same with our manager and
 * with Spark's own.
 */
class IndeterminateStagesTest {
  private static final int MAPS = 4;
  private static final int READERS = 5;
  private static final int ROWS = 2_000;
  private static final int LOST_MAP = 3;

  // One task at a time, so that the first reader has ended when the second one begins.
  private static final Map<String, String> CONF = Map.of("spark.master", "local[1]");

  // Of tasks, which run in this process.
  private static final Queue<String> DEALT = new ConcurrentLinkedQueue<>();
  private static final Queue<List<Integer>> READ_FIRST = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void forgetOtherTests() {
    DEALT.clear();
    READ_FIRST.clear();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void mapsThatHaveReadAreRunAgainWithAllThatTheyRead(boolean ours) {
    List<Integer> rows =
        through(
            ours,
            spark ->
                readWithLoss(dealt(spark))
                    .mapToPair(row -> new Tuple2<>(row, row))
                    .partitionBy(new HashPartitioner(3))
                    .keys()
                    .collect());

    assertExact(rows);
    assertThat(DEALT).contains("0 in attempt 1", "1 in attempt 1", "2 in attempt 1");
    assertThat(READ_FIRST).as("what partition 0 got each time").hasSize(2).doesNotHaveDuplicates();
  }

  /** What a result stage has handed out cannot be taken back. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aJobThatHasHandedOutRowsIsGivenUp(boolean ours) {
    Throwable thrown =
        catchThrowable(() -> through(ours, spark -> readWithLoss(dealt(spark)).collect()));

    assertThat(thrown)
        .hasMessageContaining("cannot rollback the ResultStage")
        .hasMessageContaining("eliminate the indeterminacy");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatNobodyHasReadYetIsRunAgain(boolean ours) {
    List<Integer> rows =
        through(
            ours,
            spark -> {
              JavaRDD<Integer> dealt = dealt(spark);
              assertExact(dealt.collect());
              DEALT.clear();
              Loss.ofMap(Loss.shuffleOf(dealt.rdd()), LOST_MAP);
              return dealt.collect();
            });

    assertExact(rows);
    assertThat(DEALT).hasSizeGreaterThanOrEqualTo(MAPS);
    assertThat(DEALT.stream().map(run -> run.charAt(0)).distinct()).hasSize(MAPS);
  }

  private static <T> T through(boolean ours, Function<SparkSession, T> job) {
    return ours ? SparkSide.throughHeap(CONF, job) : SparkSide.throughOwn(CONF, job);
  }

  private static JavaRDD<Integer> dealt(SparkSession spark) {
    return new JavaSparkContext(spark.sparkContext())
        .parallelize(IntStream.range(0, ROWS).boxed().collect(Collectors.toList()), MAPS)
        .mapToPair(row -> new Tuple2<>(row, row))
        .partitionBy(new HashPartitioner(MAPS))
        .keys()
        .mapPartitions(IndeterminateStagesTest::inAnotherOrderEachTime)
        .repartition(READERS);
  }

  private static Iterator<Integer> inAnotherOrderEachTime(Iterator<Integer> rows) {
    List<Integer> all = list(rows);
    int attempt = TaskContext.get().stageAttemptNumber();
    DEALT.add(TaskContext.getPartitionId() + " in attempt " + attempt);
    Collections.rotate(all, attempt);
    return all.iterator();
  }

  /** Loses a map as soon as the first reader has read it. */
  private static JavaRDD<Integer> readWithLoss(JavaRDD<Integer> dealt) {
    int shuffle = Loss.shuffleOf(dealt.rdd());
    return dealt.mapPartitions(
        rows -> {
          List<Integer> all = list(rows);
          if (TaskContext.getPartitionId() == 0) {
            READ_FIRST.add(all.stream().sorted().collect(Collectors.toList()));
            if (TaskContext.get().stageAttemptNumber() == 0) {
              Loss.ofMap(shuffle, LOST_MAP);
            }
          }
          return all.iterator();
        });
  }

  private static List<Integer> list(Iterator<Integer> rows) {
    List<Integer> all = new ArrayList<>();
    rows.forEachRemaining(all::add);
    return all;
  }

  private static void assertExact(List<Integer> rows) {
    assertThat(rows.stream().sorted())
        .containsExactlyElementsOf(IntStream.range(0, ROWS).boxed().collect(Collectors.toList()));
  }
}
