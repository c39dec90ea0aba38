package io.sluice.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class CrewTest {
  private final AtomicInteger ended = new AtomicInteger();

  private void forEver() throws InterruptedException {
    try {
      new CountDownLatch(1).await();
    } finally {
      ended.incrementAndGet();
    }
  }

  @Test
  void theFirstThatFailsEndsTheOthers() {
    assertThatThrownBy(
            () ->
                Crew.run(
                    "crew",
                    List.of(
                        this::forEver,
                        this::forEver,
                        () -> {
                          throw new IllegalArgumentException("broken");
                        })))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("broken");
    assertThat(ended).as("before that is told").hasValue(2);
  }

  @Test
  void anInterruptEndsAll() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(2);
    AtomicInteger interrupted = new AtomicInteger();
    Thread caller =
        new Thread(
            () -> {
              Crew.Work work =
                  () -> {
                    begun.countDown();
                    forEver();
                  };
              try {
                Crew.run("crew", List.of(work, work));
              } catch (InterruptedException e) {
                interrupted.set(ended.get());
              }
            });
    caller.start();
    assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();

    caller.interrupt();
    caller.join();

    assertThat(interrupted).hasValue(2);
  }
}
