package io.sluice.server.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ThreadedDiskQueueTest {
  private static final DiskOptions OPTIONS =
      new DiskOptions(64 << 10, 2, 1 << 20, 1, 64, 8, 1 << 20, 0);

  private final CountDownLatch answer = new CountDownLatch(1);
  private final CountDownLatch begun = new CountDownLatch(1);

  /** A disk that does not answer before it is told to. */
  private void hang() {
    begun.countDown();
    try {
      answer.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void closingLeavesATaskThatDoesNotEndAndRunsTheOthers() throws InterruptedException {
    ThreadedDiskQueue queue =
        new ThreadedDiskQueue("test", OPTIONS, TimeUnit.MILLISECONDS.toNanos(300));
    AtomicInteger ran = new AtomicInteger();
    queue.write(this::hang);
    begun.await();
    queue.read(ran::incrementAndGet);
    queue.chore(ran::incrementAndGet);

    queue.close();

    assertThat(queue.isStuck()).isTrue();
    assertThat(ran).hasValue(2);
    assertThat(queue.write(ran::incrementAndGet)).isFalse();
    answer.countDown();
  }

  @Test
  void closingWaitsForWhatEnds() throws InterruptedException {
    ThreadedDiskQueue queue = new ThreadedDiskQueue("test", OPTIONS);
    AtomicInteger ran = new AtomicInteger();
    queue.write(this::hang);
    queue.write(ran::incrementAndGet);
    begun.await();

    CompletableFuture<Void> closed = CompletableFuture.runAsync(queue::close);
    answer.countDown();
    closed.join();

    assertThat(queue.isStuck()).isFalse();
    assertThat(ran).hasValue(1);
  }

  /** Six kinds of them, and a step of a sync that was given up, wait while another one runs. */
  @Test
  void hasAPlaceForEveryChoreThatThereCanBeAtOnce() throws InterruptedException {
    ThreadedDiskQueue queue = new ThreadedDiskQueue("test", OPTIONS);
    AtomicInteger ran = new AtomicInteger();
    queue.chore(this::hang);
    begun.await();

    for (int i = 0; i < 7; i++) {
      assertThat(queue.chore(ran::incrementAndGet)).isTrue();
    }

    answer.countDown();
    queue.close();
    assertThat(ran).hasValue(7);
  }
}
