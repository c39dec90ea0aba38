package io.sluice.benchmarks.storage.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.time.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DiskTurnTest {
  private static final int UNIT = 10;

  private final AtomicLong nanos = new AtomicLong();
  private final DiskTurn turn = new DiskTurn(clock(), new DiskLoad(null));
  private final AtomicInteger accesses = new AtomicInteger();

  /** A phase of so many accesses, in order. */
  private CompletableFuture<Void> phase(int units) {
    return CompletableFuture.runAsync(
        () -> {
          for (int i = 0; i < units; i++) {
            turn.access(UNIT, accesses::incrementAndGet);
          }
          turn.end();
        });
  }

  @Test
  void nobodyWaitsWherePhasesTakeNoTurns() {
    assertThat(turn.access(UNIT, () -> 7)).isEqualTo(7);
  }

  @Test
  void aTurnEndsWithItsBytes() throws Exception {
    turn.begin();
    CompletableFuture<Void> phase = phase(7);

    assertThat(turn.take(2 * UNIT)).isFalse();
    assertThat(accesses).hasValue(2);
    assertThat(turn.take(UNIT + 1)).isFalse();
    assertThat(accesses).hasValue(4);
    // Nine of its bytes went to the one before.
    assertThat(turn.take(UNIT)).isFalse();
    assertThat(accesses).hasValue(5);
    assertThat(turn.take(Long.MAX_VALUE)).isTrue();
    phase.join();
    assertThat(accesses).hasValue(7);
  }

  @Test
  void aTurnIsOverWhenNothingIsUnderWayAnyMore() throws Exception {
    turn.begin();
    CountDownLatch reads = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    CompletableFuture<Integer> read =
        CompletableFuture.supplyAsync(
            () ->
                turn.access(
                    UNIT,
                    () -> {
                      reads.countDown();
                      await(mayEnd);
                      return UNIT;
                    }));
    CompletableFuture<Boolean> taken = CompletableFuture.supplyAsync(() -> take(UNIT));
    await(reads);
    double before = turn.now().seconds();
    secondsPass(3);

    assertThat(turn.now().seconds()).isEqualTo(before + 3);
    mayEnd.countDown();

    assertThat(taken.get(30, TimeUnit.SECONDS)).isFalse();
    assertThat(read.get(30, TimeUnit.SECONDS)).isEqualTo(UNIT);
  }

  @Test
  void aPhaseMayEndBeforeItsTurn() throws Exception {
    turn.begin();
    CompletableFuture<Void> phase = phase(1);

    assertThat(turn.take(100 * UNIT)).isTrue();
    assertThat(turn.take(UNIT)).isTrue();
    phase.join();
  }

  @Test
  void whatEndsAPhaseMayComeWithoutAnAccess() throws Exception {
    turn.begin();
    CompletableFuture<Boolean> taken = CompletableFuture.supplyAsync(() -> take(UNIT));

    turn.end();

    assertThat(taken.get(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void theOthersTurnsAreNotInTheTime() throws Exception {
    double began = turn.now().seconds();
    secondsPass(1);
    turn.begin();
    secondsPass(5);

    assertThat(turn.now().seconds()).isEqualTo(began + 1);

    CompletableFuture<Void> phase =
        CompletableFuture.runAsync(
            () -> {
              turn.access(UNIT, () -> secondsPass(2));
              turn.access(UNIT, () -> secondsPass(4));
              turn.end();
            });
    turn.take(UNIT);
    secondsPass(7);
    assertThat(turn.now().seconds()).isEqualTo(began + 3);
    turn.take(Long.MAX_VALUE);
    phase.join();
    secondsPass(1);

    assertThat(turn.now().seconds()).isEqualTo(began + 8);
  }

  private int secondsPass(int seconds) {
    nanos.addAndGet(seconds * 1_000_000_000L);
    return seconds;
  }

  private Clock clock() {
    return new Clock() {
      @Override
      public long nanoTime() {
        return nanos.get();
      }

      @Override
      public long wallTimeMillis() {
        throw new UnsupportedOperationException();
      }
    };
  }

  private boolean take(long bytes) {
    try {
      return turn.take(bytes);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
