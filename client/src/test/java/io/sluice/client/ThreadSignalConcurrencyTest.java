package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ThreadSignalConcurrencyTest {
  @Test
  void noSignalIsLost() throws InterruptedException {
    int rounds = 100_000;
    ThreadSignal ping = new ThreadSignal();
    ThreadSignal pong = new ThreadSignal();
    AtomicInteger turn = new AtomicInteger();
    Thread other =
        new Thread(
            () -> {
              try {
                for (int i = 0; i < rounds; i++) {
                  while (turn.get() != 2 * i + 1) {
                    ping.await();
                  }
                  turn.incrementAndGet();
                  pong.signal();
                }
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    other.start();
    for (int i = 0; i < rounds; i++) {
      turn.incrementAndGet();
      ping.signal();
      while (turn.get() != 2 * i + 2) {
        pong.await();
      }
    }
    other.join();
    assertThat(turn).hasValue(2 * rounds);
  }

  @Test
  void aSignalGivenBeforeIsEnough() throws InterruptedException {
    ThreadSignal signal = new ThreadSignal();
    signal.signal();
    signal.await();
  }

  @Test
  void anInterruptEndsTheWait() {
    ThreadSignal signal = new ThreadSignal();
    Thread.currentThread().interrupt();
    assertThatThrownBy(signal::await).isInstanceOf(InterruptedException.class);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }
}
