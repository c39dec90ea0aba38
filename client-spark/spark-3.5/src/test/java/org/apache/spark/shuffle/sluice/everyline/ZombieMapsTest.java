package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.Success$;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import scala.Tuple2;

/**
 * A map goes on when its stage is rolled back, and pushes all that it has when the stage runs
 * again: rows in another order, and so for other readers. Nothing of it may be read.
 */
@Timeout(value = 6, unit = TimeUnit.MINUTES)
class ZombieMapsTest {
  private static final int MAPS = 4;
  private static final int READERS = 5;
  private static final int ROWS = 2_000;
  private static final int LOST_MAP = 3;
  private static final int ZOMBIE = 0;
  private static final String OF_ZOMBIE = " dealt by " + ZOMBIE + " in attempt 0";

  // A core for the zombie, one for the task that keeps readers waiting, one for all others. The
  // readers are those of the real client; what is pushed can be looked for.
  private static final Map<String, String> CONF =
      Map.of(
          "spark.master",
          "local[3]",
          "spark.sluice.codec",
          "none",
          HeapShuffleManager.LONG_RECORD_BYTES,
          String.valueOf(1 << 20));

  /** What the zombie ends in the middle of. */
  private enum Meanwhile {
    ITS_MAP_RUNS_AGAIN,
    ITS_STAGE_HAS_RUN_AGAIN
  }

  /** Of tasks, which run in this process. */
  private static volatile Gates gates = new Gates(Meanwhile.ITS_MAP_RUNS_AGAIN);

  @ParameterizedTest
  @EnumSource
  void nothingOfThemIsRead(Meanwhile meanwhile) throws Exception {
    gates = new Gates(meanwhile);
    SparkSession spark = SparkSide.heap(CONF);
    try {
      spark.sparkContext().addSparkListener(gates);
      JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
      JavaFutureAction<List<String>> job = dealt(context).union(held(context)).collectAsync();
      await(gates.again);
      gates.zombieMayEnd.countDown();
      await(gates.zombieEnded);
      // What the scheduler makes of that end it has made when another job has run.
      assertThat(context.parallelize(List.of(1), 1).count()).isEqualTo(1);
      assertThat(HeapShuffleManager.currentStore().holds(OF_ZOMBIE)).isTrue();
      gates.othersMayGoOn.countDown();

      assertThat(gates.zombieSucceeded).isTrue();
      assertExact(job.get(120, TimeUnit.SECONDS));
    } finally {
      gates.open();
      spark.stop();
    }
  }

  private static void assertExact(List<String> rows) {
    assertThat(rows).allMatch(row -> row.endsWith(" in attempt 1"));
    assertThat(rows.stream().map(row -> Integer.parseInt(row.split(" ")[0])).sorted())
        .containsExactlyElementsOf(IntStream.range(0, ROWS).boxed().collect(Collectors.toList()));
  }

  /** Rows dealt out in turn; who has dealt them is said in each. */
  private static JavaRDD<String> dealt(JavaSparkContext context) {
    JavaRDD<Integer> given =
        context
            .parallelize(IntStream.range(0, ROWS).boxed().collect(Collectors.toList()), MAPS)
            .mapToPair(row -> new Tuple2<>(row, row))
            .partitionBy(new HashPartitioner(MAPS))
            .keys();
    int shuffle = Loss.shuffleOf(given.rdd());
    return given.mapPartitions(rows -> deal(rows, shuffle)).repartition(READERS);
  }

  /** In another order each time. In attempt 0 a map is lost as soon as the zombie has read it. */
  private static Iterator<String> deal(Iterator<Integer> rows, int shuffle) {
    TaskContext task = TaskContext.get();
    int map = task.partitionId();
    int attempt = task.stageAttemptNumber();
    List<String> all = new ArrayList<>();
    rows.forEachRemaining(row -> all.add(row + " dealt by " + map + " in attempt " + attempt));
    Collections.rotate(all, attempt);
    if (map == ZOMBIE) {
      gates.pass(task, () -> Loss.ofMap(shuffle, LOST_MAP));
    } else if (attempt == 0) {
      await(gates.zombieHasRead);
    }
    return all.iterator();
  }

  /** No rows, through a shuffle whose only map ends when readers may begin. */
  private static JavaRDD<String> held(JavaSparkContext context) {
    return context
        .parallelize(List.of("none"), 1)
        .filter(
            row -> {
              await(gates.othersMayGoOn);
              return false;
            })
        .repartition(1);
  }

  private static void await(CountDownLatch gate) {
    try {
      assertThat(gate.await(120, TimeUnit.SECONDS)).as("a gate has opened").isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Who waits for whom, in one run of the job. */
  private static final class Gates extends SparkListener {
    private final Meanwhile meanwhile;
    private final CountDownLatch zombieHasRead = new CountDownLatch(1);
    private final CountDownLatch again = new CountDownLatch(1);
    private final CountDownLatch zombieMayEnd = new CountDownLatch(1);
    private final CountDownLatch zombieEnded = new CountDownLatch(1);
    private final CountDownLatch othersMayGoOn = new CountDownLatch(1);
    private volatile long zombie = -1;
    private volatile int stage = -1;
    private volatile boolean zombieSucceeded;

    Gates(Meanwhile meanwhile) {
      this.meanwhile = meanwhile;
    }

    /** The zombie, and the same map when it runs again. */
    void pass(TaskContext task, Runnable lose) {
      if (task.stageAttemptNumber() == 0) {
        zombie = task.taskAttemptId();
        stage = task.stageId();
        lose.run();
        zombieHasRead.countDown();
        await(zombieMayEnd);
      } else if (meanwhile == Meanwhile.ITS_MAP_RUNS_AGAIN) {
        again.countDown();
        await(othersMayGoOn);
      }
    }

    @Override
    public void onStageCompleted(SparkListenerStageCompleted completed) {
      if (completed.stageInfo().stageId() == stage
          && completed.stageInfo().attemptNumber() == 1
          && completed.stageInfo().failureReason().isEmpty()) {
        again.countDown();
      }
    }

    @Override
    public void onTaskEnd(SparkListenerTaskEnd end) {
      if (end.taskInfo().taskId() == zombie) {
        zombieSucceeded = end.reason() == Success$.MODULE$;
        zombieEnded.countDown();
      }
    }

    /** For tasks of a test that failed. */
    void open() {
      List.of(zombieHasRead, zombieMayEnd, othersMayGoOn).forEach(CountDownLatch::countDown);
    }
  }
}
