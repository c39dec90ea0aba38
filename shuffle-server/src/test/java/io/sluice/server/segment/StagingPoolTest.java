package io.sluice.server.segment;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class StagingPoolTest {
  private final StagingPool pool = new StagingPool(SimulatedStore.OPTIONS);
  private final AtomicInteger told = new AtomicInteger();

  private StagingBuffer take(Runnable waiter) {
    return requireNonNull(pool.tryTake(waiter, () -> true));
  }

  @Test
  void whoeverAsksAgainWhileHeWaitsIsToldOnce() {
    Runnable waiter = told::incrementAndGet;
    StagingBuffer first = take(waiter);
    StagingBuffer second = take(waiter);
    for (int i = 0; i < 3; i++) {
      assertThat(pool.tryTake(waiter, () -> true)).isNull();
    }

    pool.giveBack(first);
    assertThat(told).hasValue(1);
    pool.giveBack(second);
    assertThat(told).as("does not wait any more").hasValue(1);

    assertThat(pool.tryTake(waiter, () -> false)).as("none is given out").isNull();
    pool.wakeAll();
    assertThat(told).hasValue(2);
  }
}
