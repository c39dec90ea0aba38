package io.sluice.coordinator.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.time.Clock;
import io.sluice.common.time.ThreadScheduler;
import io.sluice.coordinator.testing.ManualScheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class GatheringExecutorTest {
  private static final long DELAY = GatheringExecutor.DELAY_NANOS;

  private final ManualScheduler scheduler = new ManualScheduler();
  private final GatheringExecutor executor = new GatheringExecutor(scheduler);
  private final List<Integer> ran = new ArrayList<>();

  private void give(int... numbers) {
    for (int number : numbers) {
      executor.execute(() -> ran.add(number));
    }
  }

  @Test
  void whatComesWithinTheDelayRunsTogetherAndInOrder() {
    give(1);
    scheduler.advance(DELAY - 1, TimeUnit.NANOSECONDS);
    give(2, 3);
    assertThat(ran).isEmpty();
    scheduler.advance(1, TimeUnit.NANOSECONDS);
    assertThat(ran).containsExactly(1, 2, 3);
  }

  @Test
  void eachDelayBeginsWithTheFirstThatComes() {
    give(1);
    scheduler.advance(DELAY, TimeUnit.NANOSECONDS);
    scheduler.advance(3 * DELAY / 2, TimeUnit.NANOSECONDS);
    give(2);
    scheduler.advance(DELAY - 1, TimeUnit.NANOSECONDS);
    assertThat(ran).containsExactly(1);
    scheduler.advance(1, TimeUnit.NANOSECONDS);
    assertThat(ran).containsExactly(1, 2);
  }

  @Test
  void whatATaskAddsIsNotForgotten() {
    executor.execute(() -> give(2));
    scheduler.advance(2 * DELAY, TimeUnit.NANOSECONDS);
    assertThat(ran).containsExactly(2);
  }

  @Test
  void othersHaveATurnBetweenRounds() {
    executor.execute(() -> scheduler.execute(() -> ran.add(-1)));
    give(IntStream.range(1, GatheringExecutor.ROUND).toArray());
    give(GatheringExecutor.ROUND);
    scheduler.advance(DELAY, TimeUnit.NANOSECONDS);
    assertThat(ran).hasSize(GatheringExecutor.ROUND + 1);
    assertThat(ran.subList(GatheringExecutor.ROUND - 1, ran.size()))
        .containsExactly(-1, GatheringExecutor.ROUND);
  }

  @Test
  void whoAddsWhileARoundRunsMakesWhatIsLeftOfItWaitNoLonger() {
    executor.execute(() -> give(-1));
    give(IntStream.range(1, 2 * GatheringExecutor.ROUND).toArray());
    scheduler.advance(DELAY, TimeUnit.NANOSECONDS);
    assertThat(ran).hasSize(2 * GatheringExecutor.ROUND);
  }

  @Test
  void aTaskThatFailsTakesNoOtherWithIt() {
    IllegalStateException failure = new IllegalStateException("on purpose");
    executor.execute(
        () -> {
          throw failure;
        });
    give(1, 2);
    assertThatThrownBy(() -> scheduler.advance(DELAY, TimeUnit.NANOSECONDS)).isSameAs(failure);
    scheduler.runTasks();
    assertThat(ran).containsExactly(1, 2);
  }

  @Test
  void everyTaskOfManyThreadsRunsOnceAndInItsThreadsOrder() throws Exception {
    int threads = 4;
    int tasks = 20_000;
    int[] last = new int[threads];
    Queue<String> disorder = new ConcurrentLinkedQueue<>();
    AtomicInteger failures = new AtomicInteger();
    CountDownLatch all = new CountDownLatch(threads * tasks);
    try (ThreadScheduler thread =
        new ThreadScheduler(
            "gathering-test", Clock.system(), (at, failure) -> failures.incrementAndGet())) {
      GatheringExecutor gathering = new GatheringExecutor(thread);
      List<Thread> givers = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        int giver = t;
        Thread started =
            new Thread(
                () -> {
                  for (int i = 1; i <= tasks; i++) {
                    int number = i;
                    gathering.execute(
                        () -> {
                          // One thread runs all of them.
                          if (last[giver] != number - 1) {
                            disorder.add(giver + ": " + number + " after " + last[giver]);
                          }
                          last[giver] = number;
                          all.countDown();
                        });
                  }
                });
        started.start();
        givers.add(started);
      }
      for (Thread giver : givers) {
        giver.join();
      }
      // Whatever came last, nothing else makes it run.
      assertThat(all.await(30, TimeUnit.SECONDS)).as("left over: " + all.getCount()).isTrue();
    }
    assertThat(disorder).isEmpty();
    assertThat(failures).hasValue(0);
  }
}
