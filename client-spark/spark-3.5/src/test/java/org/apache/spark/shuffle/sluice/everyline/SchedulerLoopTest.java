package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.shuffle.sluice.driver.SchedulerLoop;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tasks on the thread of Spark's scheduler. */
@Timeout(60)
class SchedulerLoopTest {
  static final String THREAD = "dag-scheduler-event-loop";

  private final SparkSession spark = SparkSide.heap(Map.of());
  private final SchedulerLoop loop = new SchedulerLoop(spark.sparkContext().dagScheduler());

  @AfterEach
  void stop() {
    spark.stop();
  }

  @Test
  void aTaskRunsThereOnceAndAfterWhatCameBefore() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch told = new CountDownLatch(1);
    loop.execute(() -> await(told));
    loop.execute(runs::incrementAndGet);
    CompletableFuture<List<String>> second = new CompletableFuture<>();
    loop.execute(
        () ->
            second.complete(List.of(Thread.currentThread().getName(), String.valueOf(runs.get()))));
    assertThat(second).isNotDone();

    told.countDown();
    assertThat(second.get(30, TimeUnit.SECONDS)).containsExactly(THREAD, "1");
    assertJobsRun();
    assertThat(runs).hasValue(1);
  }

  @Test
  void whatATaskThrowsEndsNothing() {
    loop.execute(
        () -> {
          throw new IllegalStateException("says the test");
        });
    loop.execute(
        () -> {
          throw new AssertionError("says the test");
        });
    loop.execute(() -> SchedulerLoopTest.<RuntimeException>undeclared(new Exception("so")));
    assertJobsRun();
  }

  @Test
  void aSchedulerThatHasStoppedRunsNothing() throws Exception {
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    loop.execute(() -> thread.complete(Thread.currentThread()));
    Thread scheduler = thread.get(30, TimeUnit.SECONDS);
    spark.stop();
    scheduler.join(30_000);
    assertThat(scheduler.isAlive()).isFalse();

    AtomicInteger runs = new AtomicInteger();
    loop.execute(runs::incrementAndGet);
    assertThat(runs).as("on this thread").hasValue(0);
  }

  private void assertJobsRun() {
    assertThat(spark.range(0, 100, 1, 2).toJavaRDD().count()).isEqualTo(100);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** As Scala does. */
  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void undeclared(Throwable failure) throws T {
    throw (T) failure;
  }
}
