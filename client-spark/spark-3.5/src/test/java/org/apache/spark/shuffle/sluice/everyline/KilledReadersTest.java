package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.time.Clock;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.TaskCompletionListener;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Reduce tasks that are killed and not interrupted, by default, while they are in the middle of a
 * piece: what is left of it has been fetched and decoded, so nothing is waited for any more.
 */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class KilledReadersTest {
  private static final long DEADLINE_SECONDS = 120;
  private static final int ROWS = 2_000;

  private enum Records {
    ROWS_OF_SQL("Java"),
    RELOCATABLE("Kryo"),
    OBJECTS("Java");

    private final String serializer;

    Records(String serializer) {
      this.serializer = serializer;
    }
  }

  /** The reader that is killed, which runs in this process. */
  private static volatile Killed killed = new Killed();

  @ParameterizedTest
  @EnumSource
  void endAtTheNextRecord(Records records) throws Exception {
    run(
        records,
        (spark, job) -> {
          spark.sparkContext().killTaskAttempt(killed.task, false, "on purpose");
          assertEndsAtOnce();
          assertThat(job.get(DEADLINE_SECONDS, TimeUnit.SECONDS))
              .as("what the next attempt reads")
              .containsExactly(ROWS);
        });
  }

  @ParameterizedTest
  @EnumSource
  void endAtTheNextRecordWhenTheirJobIsCancelled(Records records) throws Exception {
    run(
        records,
        (spark, job) -> {
          job.cancel(false);
          assertEndsAtOnce();
          assertThat(job.isCancelled()).isTrue();
        });
  }

  private static void assertEndsAtOnce() throws InterruptedException {
    assertThat(killed.ended.await(DEADLINE_SECONDS, TimeUnit.SECONDS)).as("it ends").isTrue();
    assertThat(killed.goneOn).as("it was killed while it read").isTrue();
    assertThat(killed.readBehind).as("records read behind the kill").isLessThanOrEqualTo(1);
  }

  private interface WhileItReads {
    void act(SparkSession spark, JavaFutureAction<List<Integer>> job) throws Exception;
  }

  private static void run(Records records, WhileItReads middle) throws Exception {
    killed = new Killed();
    SparkSession spark =
        SparkSide.heap(
            Map.of(
                "spark.sql.adaptive.enabled",
                "false",
                "spark.serializer",
                "org.apache.spark.serializer." + records.serializer + "Serializer"));
    try {
      JavaFutureAction<List<Integer>> job =
          ofOnePiece(spark, records).mapPartitions(KilledReadersTest::read).collectAsync();
      assertThat(killed.reads.await(DEADLINE_SECONDS, TimeUnit.SECONDS)).as("it reads").isTrue();
      middle.act(spark, job);
    } finally {
      spark.stop();
    }
  }

  /** What one map has for one reader, which is less than a block. */
  private static JavaRDD<?> ofOnePiece(SparkSession spark, Records records) {
    return records == Records.ROWS_OF_SQL
        ? spark.range(0, ROWS, 1, 1).repartition(1).javaRDD()
        : new JavaSparkContext(spark.sparkContext())
            .parallelize(IntStream.range(0, ROWS).boxed().collect(Collectors.toList()), 1)
            .repartition(1);
  }

  /** How many there are. The first attempt stays at the first one until it has been killed. */
  private static Iterator<Integer> read(Iterator<?> rows) {
    boolean first = TaskContext.get().attemptNumber() == 0;
    if (first) {
      rows.next();
      killed.awaitKill();
    }
    int count = first ? 1 : 0;
    while (rows.hasNext()) {
      rows.next();
      count++;
      if (first) {
        killed.readBehind++;
      }
    }
    return List.of(count).iterator();
  }

  /** Written by the task's thread, before it ends. */
  private static final class Killed {
    private final CountDownLatch reads = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile long task;
    private boolean goneOn;
    private int readBehind;

    /** Nothing wakes it. */
    void awaitKill() {
      TaskContext context = TaskContext.get();
      context.addTaskCompletionListener((TaskCompletionListener) done -> ended.countDown());
      task = context.taskAttemptId();
      reads.countDown();
      long deadline = Clock.system().nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
      while (!context.isInterrupted()) {
        assertThat(Clock.system().nanoTime()).as("the deadline").isLessThan(deadline);
        Thread.onSpinWait();
      }
      goneOn = true;
    }
  }
}
