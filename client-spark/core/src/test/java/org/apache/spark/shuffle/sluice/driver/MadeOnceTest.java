package org.apache.spark.shuffle.sluice.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several threads that need what only comes when the test has it come. */
@Timeout(120)
class MadeOnceTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final BlockingQueue<CompletableFuture<String>> attempts = new LinkedBlockingQueue<>();
  private final List<String> unwanted = new ArrayList<>();
  private final MadeOnce<String> once = new MadeOnce<>(this::make, unwanted::add);
  private final List<Caller> callers = new ArrayList<>();

  private String make(Duration atMost) {
    CompletableFuture<String> attempt = new CompletableFuture<>();
    attempts.add(attempt);
    try {
      return attempt.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (Exception e) {
      throw new SluiceException(ErrorCode.NO_SERVERS, "on purpose", e);
    }
  }

  /** One thread that asks once. */
  private static final class Caller extends Thread {
    final CompletableFuture<String> got = new CompletableFuture<>();
    private final MadeOnce<String> once;
    private final long deadline;

    Caller(MadeOnce<String> once, Duration patience) {
      this.once = once;
      this.deadline = Clock.system().nanoTime() + patience.toNanos();
      setDaemon(true);
    }

    @Override
    public void run() {
      try {
        got.complete(once.get(deadline));
      } catch (SluiceException e) {
        got.completeExceptionally(e);
      }
    }

    ErrorCode failure() {
      return got.orTimeout(30, TimeUnit.SECONDS)
          .handle((value, failure) -> ((SluiceException) failure).code())
          .join();
    }
  }

  private Caller caller(Duration patience) {
    Caller caller = new Caller(once, patience);
    callers.add(caller);
    caller.start();
    return caller;
  }

  /** One that has come to wait for others. */
  private Caller waiter() {
    Caller waiter = caller(LONG);
    long deadline = Clock.system().nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (waiter.getState() != Thread.State.TIMED_WAITING) {
      assertThat(waiter.isAlive()).as("it waits").isTrue();
      assertThat(Clock.system().nanoTime()).as("the deadline").isLessThan(deadline);
      Thread.onSpinWait();
    }
    return waiter;
  }

  @AfterEach
  void endCallers() throws InterruptedException {
    for (Caller caller : callers) {
      caller.interrupt();
      caller.join();
    }
    once.end();
  }

  @Test
  void isMadeForAllWhoWait() throws InterruptedException {
    Caller first = caller(LONG);
    CompletableFuture<String> attempt = attempts.take();
    Caller second = waiter();
    assertThat(once.known()).isNull();
    attempt.complete("it");

    assertThat(first.got.join()).isEqualTo("it");
    assertThat(second.got.join()).isEqualTo("it");
    assertThat(once.known()).isEqualTo("it");
    assertThat(once.get(0)).isEqualTo("it");
    assertThat(attempts).isEmpty();
  }

  @Test
  void whoeverMakesItFailsAloneAndTheNextTriesAnew() throws InterruptedException {
    Caller first = caller(LONG);
    CompletableFuture<String> attempt = attempts.take();
    Caller second = waiter();
    first.interrupt();
    assertThat(first.failure()).isEqualTo(ErrorCode.NO_SERVERS);
    assertThat(attempt).isNotDone();

    attempts.take().complete("it");
    assertThat(second.got.join()).isEqualTo("it");
  }

  @Test
  void whoWaitsForOthersCanBeInterrupted() throws InterruptedException {
    Caller first = caller(LONG);
    CompletableFuture<String> attempt = attempts.take();
    Caller second = waiter();
    second.interrupt();
    assertThat(second.failure()).isEqualTo(ErrorCode.CANCELLED);

    attempt.complete("it");
    assertThat(first.got.join()).isEqualTo("it");
  }

  @Test
  void whoWaitsForOthersHasADeadlineOfHisOwn() throws InterruptedException {
    Caller first = caller(LONG);
    CompletableFuture<String> attempt = attempts.take();
    assertThat(caller(Duration.ofMillis(1)).failure()).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);

    attempt.complete("it");
    assertThat(first.got.join()).isEqualTo("it");
  }

  @Test
  void theEndWaitsForNobodyAndNobodyWaitsBehindIt() throws InterruptedException {
    Caller first = caller(LONG);
    CompletableFuture<String> attempt = attempts.take();
    Caller second = waiter();
    assertThat(once.end()).isNull();
    assertThat(second.failure()).isEqualTo(ErrorCode.SHUTTING_DOWN);

    attempt.complete("late");
    assertThat(first.failure()).isEqualTo(ErrorCode.SHUTTING_DOWN);
    assertThat(unwanted).containsExactly("late");
    assertThat(once.known()).isNull();
    assertThatThrownBy(() -> once.get(0)).isInstanceOf(SluiceException.class);
    assertThat(attempts).isEmpty();
  }

  @Test
  void whatWasMadeIsForWhoeverEndsIt() throws InterruptedException {
    Caller first = caller(LONG);
    attempts.take().complete("it");
    assertThat(first.got.join()).isEqualTo("it");

    assertThat(once.end()).isEqualTo("it");
    assertThat(once.end()).isNull();
    assertThat(unwanted).isEmpty();
  }
}
